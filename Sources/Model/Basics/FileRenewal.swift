import Glibc

/// Rewrites a file whose sync failed.
///
/// The kernel marks unwritten pages as clean, so that the next sync succeeds without them (fsync(2)). Writing the same
/// bytes to the same file again does not help everywhere: ext4 then fills blocks it still considers unwritten, which
/// read as zeros after a power failure. So the bytes in memory are written to a new file, which replaces the first.
package enum FileRenewal {
    private static let piece = 1 << 20

    private static func copyName(_ name: String) -> String { "\(name).copy" }

    /// Creates a synced copy of the file `name` beside it in `folder`, with its times and permissions; an earlier try's
    /// copy is replaced.
    package static func copy(_ name: String, in folder: Int32) throws(Errno) {
        let source = Int32(try check("open \(name)") { openat(folder, name, O_RDONLY | O_CLOEXEC) })
        defer { close(source) }
        var status = stat()
        try check("fstat") { fstat(source, &status) }
        let flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC
        let target = Int32(
            try check("open \(copyName(name))") { openat(folder, copyName(name), flags, status.st_mode & 0o7777) })
        defer { close(target) }
        try copy(from: source, to: target)
        try check("ftruncate") { ftruncate(target, status.st_size) }
        try check("futimens") { withUnsafePointer(to: (status.st_atim, status.st_mtim)) { futimens(target, $0.times) } }
        try check("fsync") { fsync(target) }
    }

    /// Replaces the file `name` by the copy; `parent` is the folder of both, relative to `folder`.
    package static func install(_ name: String, in folder: Int32, parent: String) throws(Errno) {
        try check("rename") { renameat(folder, copyName(name), folder, name) }
        let directory = Int32(try check("open") { openat(folder, parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC) })
        defer { close(directory) }
        try check("fsync") { fsync(directory) }
    }

    private static func copy(from source: Int32, to target: Int32) throws(Errno) {
        var buffer = [UInt8](repeating: 0, count: piece)
        var offset: off_t = 0
        while true {
            let count = try check("pread") { pread(source, &buffer, piece, offset) }
            if count == 0 { return }
            // Holes stay holes.
            if !buffer[..<count].allSatisfy({ $0 == 0 }) {
                try write(buffer[..<count], to: target, at: offset)
            }
            offset += off_t(count)
        }
    }

    private static func write(_ bytes: ArraySlice<UInt8>, to target: Int32, at offset: off_t) throws(Errno) {
        var done = 0
        while done < bytes.count {
            done += try check("pwrite") {
                bytes.withUnsafeBytes { rest in
                    pwrite(target, rest.baseAddress.map { $0 + done }, rest.count - done, offset + off_t(done))
                }
            }
        }
    }
}

extension UnsafePointer<(timespec, timespec)> {
    /// The times in the order of futimens(2): access, then modification.
    fileprivate var times: UnsafePointer<timespec> { UnsafeRawPointer(self).assumingMemoryBound(to: timespec.self) }
}
