import Basics
import Glibc

/// Why the storage of a server did not do what it was asked.
package struct StorageError: Error, CustomStringConvertible {
    package enum Code: String, Sendable {
        case notFound
        /// The account has no cloud yet.
        case noCloud
        /// Something is not what was put there, or a log ends before what was asked for.
        case damaged
        /// The account's share is used up.
        case quota
        /// The disk is full.
        case full
        case tooLarge
        /// A name that is taken, or can not be one.
        case invalid
        /// A code or a token that is not valid.
        case unauthorized
        /// The account's second factor is missing or wrong.
        case secondFactor
        /// Another process serves this directory.
        case inUse
        /// Written by a newer version.
        case tooNew
        /// A device of a newer version wants what this one does not know.
        case unsupported
        /// Too much of this kind is under way; later it works.
        case busy
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

    /// Any error of the disk or of the database, with `full` where more room would help.
    static func of(_ error: any Error) -> StorageError {
        switch error {
        case let error as StorageError: error
        case is CancellationError: StorageError(.busy, "The request was cancelled.", cause: error)
        case let error as Errno where [ENOSPC, EDQUOT].contains(error.code): diskFull(error)
        default: ofSQLite(error) ?? StorageError(.failed, "The server's storage failed; try again.", cause: error)
        }
    }

    static func diskFull(_ cause: any Error) -> StorageError {
        StorageError(.full, "The disk of the server is full. Its owner has to make room.", cause: cause)
    }
}
