package import Basics
import Chunking
import CloudStorage
import Glibc

/// Why a transfer failed.
package struct TransferError: Error, CustomStringConvertible {
    package enum Code: String, Sendable {
        /// The cloud could not be reached until the caller's patience ended.
        case offline
        /// The cloud is reachable, but no bytes arrived until the caller's patience ended.
        case stalled
        /// The cloud's bytes do not match their name, even when requested twice.
        case damaged
        /// This device's disk, or the user's share of it, is full.
        case noSpace
        /// A file was written to while it was read. Read it again once it has settled.
        case changedWhileReading
        /// A file on this device can not be read or written.
        case localFile
        /// The cloud does not have the content.
        case notFound
        /// The content was written by a newer version of this program.
        case tooNew
        /// The content is larger than the limit.
        case tooLarge
        /// The cloud is full.
        case quota
        /// The cloud refuses this account or device.
        case refused
        /// The cloud failed in a possibly temporary way.
        case failed
        /// The owner of the transfer ended it.
        case stopped
    }

    package let code: Code
    /// The error, the affected object and the advice.
    package let message: String
    /// The error of a call on a local file.
    package let errno: Errno?
    package let cause: (any Error)?

    package init(_ code: Code, _ message: String, errno: Errno? = nil, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.errno = errno
        self.cause = cause
    }

    package var description: String { cause.map { "\(message) (\($0))" } ?? message }

    /// Whether a retry after a pause may succeed.
    var isTransient: Bool { code == .offline || code == .failed }

    /// Converts any error of a backend, a chunk or a local file to an error of a transfer.
    package init(_ error: any Error) {
        switch error {
        case let error as TransferError: self = error
        case let error as CloudError: self.init(Self.code(of: error.code), error.message, cause: error)
        case let error as ChunkError: self.init(Self.code(of: error.code), error.message, cause: error)
        case let error as Errno: self.init(local: error)
        default: self.init(.failed, "The transfer failed with an unexpected error.", cause: error)
        }
    }

    private init(local error: Errno) {
        let full = error.code == ENOSPC || error.code == EDQUOT
        let advice =
            full ? "The disk of this device is full: free some space." : "A local file could not be read or written."
        self.init(full ? .noSpace : .localFile, advice, errno: error, cause: error)
    }

    private static func code(of code: CloudError.Code) -> Code {
        switch code {
        case .offline: .offline
        case .notFound: .notFound
        case .damaged: .damaged
        case .tooNew: .tooNew
        case .quota: .quota
        case .diverged, .foreign, .unauthorized, .readOnly, .tooOld: .refused
        case .failed: .failed
        }
    }

    private static func code(of code: ChunkError.Code) -> Code {
        switch code {
        case .damaged, .truncated: .damaged
        case .tooNew: .tooNew
        case .tooLarge: .tooLarge
        }
    }
}

extension TransferError: Equatable {
    /// Errors are alike if their codes are; messages are for people.
    package static func == (left: TransferError, right: TransferError) -> Bool { left.code == right.code }
}
