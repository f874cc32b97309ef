/// Why a cloud did not do what it was asked.
package struct CloudError: Error, CustomStringConvertible {
    package enum Code: String, Sendable {
        /// The cloud can not be reached now. Everything waits and is tried again.
        case offline
        /// What was asked for is not there.
        case notFound
        /// What is there is not what was put there.
        case damaged
        /// Made by a newer version of this program; nothing was touched.
        case tooNew
        /// The server is of an older version than this program can use.
        case tooOld
        /// Another cloud than the one this device has synced with.
        case foreign
        /// The cloud is full, or this account's share of it.
        case quota
        case unauthorized
        /// It is there but may not be written.
        case readOnly
        /// Anything else; tried again with growing pauses.
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
