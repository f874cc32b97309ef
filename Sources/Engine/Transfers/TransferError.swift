package import Basics
import Chunking
import CloudStorage
import Glibc

/// Why bytes did not move.
package struct TransferError: Error, CustomStringConvertible {
    package enum Code: String, Sendable {
        /// The cloud could not be reached until the caller's patience ended.
        case offline
        /// The cloud is there, yet nothing came until the caller's patience ended.
        case stalled
        /// The cloud holds other bytes than the name says, even when asked twice.
        case damaged
        /// This device's disk, or the user's share of it, is full.
        case noSpace
        /// A file was written to while it was read. Read it again once it has settled.
        case changedWhileReading
        /// A file on this device can not be read or written.
        case localFile
        /// The cloud does not have it.
        case notFound
        /// Made by a newer version of this program.
        case tooNew
        /// More than a content may hold.
        case tooLarge
        /// The cloud is full.
        case quota
        /// The cloud refuses this account or device.
        case refused
        /// The cloud failed in a way that may pass.
        case failed
        /// Its owner ended the transfer.
        case stopped
    }

    package let code: Code
    /// What happened, to what, and what to do.
    package let message: String
    /// Of a local file's call.
    package let errno: Errno?
    package let cause: (any Error)?

    package init(_ code: Code, _ message: String, errno: Errno? = nil, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.errno = errno
        self.cause = cause
    }

    package var description: String { cause.map { "\(message) (\($0))" } ?? message }

    /// Worth another try by itself, after a pause.
    var isTransient: Bool { code == .offline || code == .failed }

    /// Any error of a backend, a chunk or a local file, in the words of a transfer.
    package init(_ error: any Error) {
        switch error {
        case let error as TransferError: self = error
        case let error as CloudError: self.init(Self.code(of: error.code), error.message, cause: error)
        case let error as ChunkError: self.init(Self.code(of: error.code), error.message, cause: error)
        case let error as Errno: self.init(local: error)
        default: self.init(.failed, "The transfer failed in an unforeseen way.", cause: error)
        }
    }

    private init(local error: Errno) {
        let full = error.code == ENOSPC || error.code == EDQUOT
        let advice = full ? "The disk of this device is full: make room." : "A local file could not be read or written."
        self.init(full ? .noSpace : .localFile, advice, errno: error, cause: error)
    }

    private static func code(of code: CloudError.Code) -> Code {
        switch code {
        case .offline: .offline
        case .notFound: .notFound
        case .damaged: .damaged
        case .tooNew: .tooNew
        case .quota: .quota
        case .foreign, .unauthorized, .readOnly, .tooOld: .refused
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
