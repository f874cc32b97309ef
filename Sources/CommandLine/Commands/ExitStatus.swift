package import DaemonProtocol

/// How `ubiquity` ends. Scripts rely on the numbers; they never change their meaning.
package enum ExitStatus: Int32, CaseIterable, Sendable {
    /// What was asked is true now.
    case done = 0
    case failed = 1
    /// Nothing is mounted there.
    case notMounted = 2
    /// A daemon is there but does not answer.
    case notAnswering = 3
    /// It needs the cloud, and the cloud can not be reached.
    case offline = 4
    case timedOut = 5
    /// It would have cost something, or something else is in the way; nothing was changed.
    case refused = 6
    /// `check` found something.
    case problemsFound = 7
    /// `coordinate` can not run the program it was given, as of a shell.
    case commandNotRunnable = 126
    case commandNotFound = 127

    /// For arguments that make no sense: EX_USAGE of sysexits.h, as ArgumentParser uses it.
    static let usage: Int32 = 64

    var meaning: String {
        switch self {
        case .done: "done"
        case .failed: "failed"
        case .notMounted: "nothing is mounted there"
        case .notAnswering: "the daemon does not answer"
        case .offline: "the cloud can not be reached"
        case .timedOut: "timed out"
        case .refused: "refused, nothing was changed"
        case .problemsFound: "check or repair found problems"
        case .commandNotRunnable: "the command can not be run"
        case .commandNotFound: "no such command"
        }
    }

    static var summary: String {
        (allCases.map { "\($0.rawValue) \($0.meaning)" } + ["\(usage) wrong usage"]).joined(separator: ", ")
    }

    package init(_ code: DaemonFailure.Code) {
        switch code {
        case .offline: self = .offline
        case .timedOut: self = .timedOut
        case .busy, .notUploaded, .pinned, .permissionDenied, .stateInUse, .mountPoint, .deadlock, .conflict:
            self = .refused
        case .notFound, .invalidRequest, .versionMismatch, .unsupported, .diskFull, .quota, .damaged, .cancelled,
            .failed:
            self = .failed
        }
    }
}

/// Why a command did not do what it was asked.
package struct CommandFailure: Error, Equatable, CustomStringConvertible {
    package let status: ExitStatus
    /// What happened, to which path, what to do. Several when several paths failed; the first sets the status.
    package let causes: [DaemonFailure]

    package init(_ status: ExitStatus, _ message: String, path: String? = nil, advice: String? = nil) {
        self.status = status
        causes = [DaemonFailure(.failed, message, path: path, advice: advice)]
    }

    package init(_ cause: DaemonFailure) {
        status = ExitStatus(cause.code)
        causes = [cause]
    }

    /// Nil when nothing failed.
    package init?(_ causes: [DaemonFailure]) {
        guard let first = causes.first else { return nil }
        status = ExitStatus(first.code)
        self.causes = causes
    }

    package var description: String { causes.map(\.description).joined(separator: "\n") }
}
