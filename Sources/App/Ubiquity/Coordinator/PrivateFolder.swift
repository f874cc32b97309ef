import Foundation
import Glibc

/// Private folders for copies of documents. They are in the folder for temporary files, which every user of the machine
/// can list, and are closed to other users from their creation.
enum PrivateFolder {
    /// Returns an unused path.
    static func place() -> URL {
        FileManager.default.temporaryDirectory.appending(path: "ubiquity-\(UUID().uuidString)")
    }

    /// - Throws: `CocoaError` if the path exists already, or there is no space.
    static func make(at folder: URL = place()) throws -> URL {
        guard mkdir(folder.path, 0o700) == 0 else { throw failure(folder.path) }
        return folder
    }

    /// Creates a new file accessible only to its owner.
    static func makeFile(at url: URL) throws -> FileHandle {
        let descriptor = open(url.path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw failure(url.path) }
        return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    }

    /// Copies a file or link under its own name.
    static func copy(_ url: URL, into folder: URL) throws -> URL {
        let copy = folder.appending(path: url.lastPathComponent)
        try FileManager.default.copyItem(at: url, to: copy)
        var status = stat()
        // A link's mode has no meaning, and changing it would follow the link.
        if lstat(copy.path, &status) == 0, status.st_mode & S_IFMT == S_IFREG { chmod(copy.path, 0o600) }
        return copy
    }

    private static func failure(_ path: String) -> CocoaError {
        let cause = NSError(domain: NSPOSIXErrorDomain, code: Int(errno))
        let code: CocoaError.Code =
            switch errno {
            case EEXIST: .fileWriteFileExists
            case ENOSPC, EDQUOT: .fileWriteOutOfSpace
            case EACCES, EPERM: .fileWriteNoPermission
            case EROFS: .fileWriteVolumeReadOnly
            default: .fileWriteUnknown
            }
        return CocoaError(code, userInfo: [NSFilePathErrorKey: path, NSUnderlyingErrorKey: cause])
    }
}
