import Basics
import DaemonProtocol
import Glibc

/// Files read as a whole.
enum SmallFile {
    /// Returns the bytes of a file; nil if there is none.
    ///
    /// - Throws: If it cannot be read, or is larger than `limit` bytes.
    static func read(_ path: String, limit: Int) throws(DaemonFailure) -> [UInt8]? {
        do throws(Errno) {
            let file = try check("open") { open(path, O_RDONLY | O_CLOEXEC) }
            defer { close(file) }
            var bytes: [UInt8] = []
            var page = [UInt8](repeating: 0, count: 1 << 16)
            while true {
                let count = try check("read") { Glibc.read(file, &page, page.count) }
                guard count > 0 else { return bytes }
                guard bytes.count + count <= limit else { throw Errno(EFBIG, "read") }
                bytes += page[..<count]
            }
        } catch {
            if error.code == ENOENT || error.code == ENOTDIR { return nil }
            throw DaemonFailure(.failed, "a file cannot be read (\(error))", path: path, errno: error.code)
        }
    }
}
