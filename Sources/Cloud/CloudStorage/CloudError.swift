/// Why a cloud did not perform an operation.
package struct CloudError: Error, CustomStringConvertible {
    package enum Code: String, Sendable {
        /// The cloud is currently unreachable. Operations wait and are retried.
        case offline
        /// The requested object does not exist.
        case notFound
        /// Stored data differs from the original.
        case damaged
        /// A log lacks entries read by this device: the cloud went back to an earlier state, or has two histories.
        case diverged
        /// The cloud was created by a newer version of this program; nothing was changed.
        case tooNew
        /// The server's version is too old for this program.
        case tooOld
        /// The cloud is not the one this device has synced with.
        case foreign
        /// The cloud is full, or this account's share of it.
        case quota
        case unauthorized
        /// The cloud exists but is not writable.
        case readOnly
        /// Any other error; retried with growing pauses.
        case failed
    }

    package let code: Code
    /// The problem, the affected object, and the remedy.
    package let message: String
    package let cause: (any Error)?

    package init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    package var description: String { cause.map { "\(message) (\($0))" } ?? message }
}
