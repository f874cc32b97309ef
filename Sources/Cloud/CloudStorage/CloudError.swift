/// Why a cloud did not perform an operation.
package struct CloudError: Error, CustomStringConvertible {
    package enum Code: String, Sendable {
        /// The cloud cannot be reached now. Operations wait and are retried.
        case offline
        /// The requested object does not exist.
        case notFound
        /// Stored data is not what was put there.
        case damaged
        /// A log does not have the entries that this device has read: the cloud went back to an earlier state, or has two histories.
        case diverged
        /// A newer version of this program made the cloud; nothing was changed.
        case tooNew
        /// The server's version is too old for this program.
        case tooOld
        /// The cloud is not the one that this device has synced with.
        case foreign
        /// The cloud is full, or this account's share of it.
        case quota
        case unauthorized
        /// The cloud exists but may not be written to.
        case readOnly
        /// Any other error; retried with growing pauses.
        case failed
    }

    package let code: Code
    /// What happened, to what, and what to do.
    package let message: String
    package let cause: (any Error)?

    package init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    package var description: String { cause.map { "\(message) (\($0))" } ?? message }
}
