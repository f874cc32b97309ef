package import DaemonProtocol

/// The exit status of `ubiquity`. Scripts rely on the numbers; they never change their meaning.
package enum ExitStatus: Int32, CaseIterable, Sendable {
    /// The request was fulfilled.
    case done = 0
    case failed = 1
    /// Nothing is mounted at the path.
    case notMounted = 2
    /// A daemon exists but does not respond.
    case notAnswering = 3
    /// The command needs the cloud, but it is unreachable.
    case offline = 4
    case timedOut = 5
    /// The command would lose something, or something prevents it; nothing was changed.
    case refused = 6
    /// `check` found problems.
    case problemsFound = 7
    /// `sync --wait`: everything but paused items is in the cloud.
    case paused = 8
    /// The arguments are invalid, or do not apply to the named item: EX_USAGE of sysexits.h, as ArgumentParser uses it.
    case usage = 64
    /// `coordinate` or `run` cannot run the given program; the status is that of a shell.
    case commandNotRunnable = 126
    case commandNotFound = 127

    var meaning: String {
        switch self {
        case .done: "done"
        case .failed: "failed"
        case .notMounted: "nothing is mounted there"
        case .notAnswering: "the daemon does not answer"
        case .offline: "the cloud cannot be reached"
        case .timedOut: "timed out"
        case .refused: "refused, nothing was changed"
        case .problemsFound: "check or repair found problems"
        case .paused: "paused items are not in the cloud"
        case .usage: "wrong usage"
        case .commandNotRunnable: "the command cannot be run"
        case .commandNotFound: "no such command"
        }
    }

    static var summary: String {
        allCases.map { "\($0.rawValue) \($0.meaning)" }.joined(separator: ", ")
    }

    package init(_ code: DaemonFailure.Code) {
        switch code {
        case .offline: self = .offline
        case .timedOut: self = .timedOut
        case .paused: self = .paused
        case .busy, .notUploaded, .pinned, .permissionDenied, .stateInUse, .mountPoint, .deadlock, .conflict:
            self = .refused
        case .invalidRequest: self = .usage
        case .notFound, .versionMismatch, .unsupported, .diskFull, .quota, .damaged, .cancelled,
            .failed:
            self = .failed
        }
    }
}
