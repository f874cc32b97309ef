import Basics
import Glibc

/// Why a server's storage did not perform an operation.
package struct StorageError: Error, CustomStringConvertible {
    package enum Code: String, Sendable {
        case notFound
        /// The account has no cloud yet.
        case noCloud
        /// Stored data is corrupt.
        case damaged
        /// A log does not have the position up to which the client has read.
        case diverged
        /// The account's share is used up.
        case quota
        /// The disk is full.
        case full
        case tooLarge
        /// A name is taken or malformed.
        case invalid
        /// A code or a token is not valid.
        case unauthorized
        /// The account's second factor is missing or wrong.
        case secondFactor
        /// A sign-in code belongs to a different account than the device.
        case otherAccount
        /// Another process serves this directory.
        case inUse
        /// A newer version wrote the data.
        case tooNew
        /// A device of a newer version uses a feature unknown to this version.
        case unsupported
        /// Too much of this kind is under way; retry later.
        case busy
        case failed
    }

    package let code: Code
    /// The problem, the affected object, and how to solve it.
    package let message: String
    package let cause: (any Error)?

    package init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    package var description: String { cause.map { "\(message) (\($0))" } ?? message }

    /// Converts any error of the disk or of the database; the code is `full` if more space would help.
    static func of(_ error: any Error) -> StorageError {
        switch error {
        case let error as StorageError: error
        case is CancellationError: StorageError(.busy, "The request was cancelled.", cause: error)
        case let error as Errno where [ENOSPC, EDQUOT].contains(error.code): diskFull(error)
        default:
            ofSQLite(error) ?? ofPostgres(error)
                ?? StorageError(.failed, "The server's storage failed; try again.", cause: error)
        }
    }

    static func diskFull(_ cause: any Error) -> StorageError {
        StorageError(.full, "The disk of the server is full. Its owner has to free some space.", cause: cause)
    }
}
