import Basics
import Glibc
import LocalMetadata
import Transfers

/// The only mapping from errors to the numbers seen by programs.
package enum FileSystemError {
    /// Returns the `errno` for an error of any layer below. Never `ENOENT` for an existing item.
    package static func code(for error: any Error) -> Int32 {
        switch error {
        case let error as Errno: error.code
        case let error as MetadataError: code(for: error.code)
        case let error as TransferError: code(for: error)
        case is CancellationError: EINTR
        default: EIO
        }
    }

    /// Returns whether the error means a full disk on this device.
    static func isOfFullDisk(_ error: any Error) -> Bool {
        switch error {
        case let error as Errno: error.isOfFullDisk
        case let error as MetadataError: error.code == .noSpace
        case let error as TransferError: error.code == .noSpace
        default: false
        }
    }

    private static func code(for metadata: MetadataError.Code) -> Int32 {
        switch metadata {
        case .noSpace: ENOSPC
        case .damaged, .tooNew, .notDurable, .unusable: EIO
        }
    }

    private static func code(for error: TransferError) -> Int32 {
        switch error.code {
        case .offline: ENETUNREACH
        case .stalled: ETIMEDOUT
        case .noSpace: ENOSPC
        case .quota: EDQUOT
        case .refused: EACCES
        case .localFile: error.errno?.code ?? EIO
        case .changedWhileReading: EAGAIN
        case .damaged, .notFound, .tooNew, .tooLarge, .failed, .stopped: EIO
        }
    }
}
