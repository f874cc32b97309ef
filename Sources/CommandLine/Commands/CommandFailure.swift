package import DaemonProtocol

/// The reason why a command failed.
package struct CommandFailure: Error, Equatable, CustomStringConvertible {
    package let status: ExitStatus
    /// The causes: event, affected path, remedy. There are several if several paths failed; the first determines the
    /// status.
    package let causes: [DaemonFailure]

    package init(_ status: ExitStatus, _ message: String, path: String? = nil, advice: String? = nil) {
        self.status = status
        causes = [DaemonFailure(.failed, message, path: path, advice: advice)]
    }

    package init(_ cause: DaemonFailure) {
        status = ExitStatus(cause.code)
        causes = [cause]
    }

    /// Returns nil if there are no causes.
    package init?(_ causes: [DaemonFailure]) {
        guard let first = causes.first else { return nil }
        status = ExitStatus(first.code)
        self.causes = causes
    }

    package var description: String { causes.map(\.description).joined(separator: "\n") }
}
