import Basics
import Glibc

/// Removes a file, or a folder with all its contents.
enum TreeRemoval {
    static func remove(_ path: [UInt8]) throws(Errno) {
        guard let status = FileStatus(path) else { throw Errno(errno, "lstat") }
        guard status.kind == S_IFDIR else {
            try check("unlink") { unlink(terminated(path)) }
            return
        }
        // The owner may not change this folder.
        if status.mode & 0o700 != 0o700 { chmod(terminated(path), status.mode & 0o777 | 0o700) }
        for name in try DirectoryNames.list(path) { try remove(path + [UInt8(ascii: "/")] + name) }
        try check("rmdir") { rmdir(terminated(path)) }
    }
}
