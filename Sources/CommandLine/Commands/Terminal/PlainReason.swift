import FoundationEssentials
import Glibc

/// Returns an error's reason in the system's words, since Foundation's descriptions are meant for programmers.
package func plainReason(_ error: any Error) -> String {
    switch error {
    case let error as POSIXError: return system(error.code.rawValue)
    case let error as CocoaError:
        if let underlying = error.userInfo["NSUnderlyingError"] as? any Error { return plainReason(underlying) }
        return errno(of: error.code).map(system) ?? "error \(error.code.rawValue) of the file manager"
    default: return "\(error)"
    }
}

private func system(_ code: Int32) -> String { String(cString: strerror(code)) }

/// Returns the `errno` value of the equivalent system call.
private func errno(of code: CocoaError.Code) -> Int32? {
    switch code {
    case .fileNoSuchFile, .fileReadNoSuchFile: ENOENT
    case .fileReadNoPermission, .fileWriteNoPermission: EACCES
    case .fileWriteFileExists: EEXIST
    case .fileWriteOutOfSpace: ENOSPC
    case .fileWriteVolumeReadOnly: EROFS
    case .fileWriteInvalidFileName, .fileReadInvalidFileName: EINVAL
    default: nil
    }
}
