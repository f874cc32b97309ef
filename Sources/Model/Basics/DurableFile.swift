package import Glibc

/// A small file with atomic replacement: at any moment, also after a power failure, a reader finds the earlier content
/// or the new one.
///
/// The content is written to a new file beside it, synced, and renamed over the old file; then the folder is synced,
/// without which the rename itself could be lost.
package struct DurableFile: Sendable {
    private let name: String
    private let folder: Int32
    private let mode: mode_t
    private let temporary: String?
    private let calls: any FileCalls

    /// - Parameters:
    ///   - path: The path of the file, relative to `folder`, which has to stay open.
    ///   - mode: The mode of the new file, less the process's umask.
    ///   - temporary: The path for writing the content first, on the same file system; a leftover there is replaced.
    ///     Only for a file with a single writing process, one write at a time; nil chooses a new name beside the file
    ///     each time.
    package init(
        _ path: String, in folder: Int32 = AT_FDCWD, mode: mode_t = 0o600, temporary: String? = nil,
        calls: any FileCalls = KernelFileCalls()
    ) {
        name = path
        self.folder = folder
        self.mode = mode
        self.temporary = temporary
        self.calls = calls
    }

    /// Replaces the content. Once it returns, the content survives a power failure if `isSynced`, and otherwise only the end of this
    /// process.
    ///
    /// - Throws: The error of a call. The earlier content stays, except after a failure to sync the folder: then the new content is in
    ///   place, and a power failure may revert it.
    package func replace(with bytes: [UInt8], isSynced: Bool = true) throws(Errno) {
        let temporary = temporary ?? "\(name).\(getpid())-\(Hex.encode(UInt64.random(in: 0...UInt64.max)))"
        do throws(Errno) {
            try write(bytes, to: temporary, isSynced: isSynced)
            try check("rename \(name)") { calls.rename(temporary, to: name, in: folder) }
        } catch {
            _ = calls.remove(temporary, in: folder)
            throw error
        }
        if isSynced { try syncFolder() }
    }

    /// Writes a new file, not open in any other process, and sets its mode.
    private func write(_ bytes: [UInt8], to temporary: String, isSynced: Bool) throws(Errno) {
        if self.temporary != nil { _ = calls.remove(temporary, in: folder) }
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC
        let file = try check("open \(temporary)") { calls.open(temporary, in: folder, flags, mode) }
        defer { calls.close(file) }
        try writeAll(bytes) { calls.write(file, $0) }
        if isSynced { try check("fsync \(temporary)") { calls.sync(file) } }
    }

    private func syncFolder() throws(Errno) {
        let path =
            switch name.lastIndex(of: "/") {
            case nil: "."
            case name.startIndex: "/"
            case let slash?: String(name[..<slash])
            }
        try syncDirectory(path, in: folder, calls: calls)
    }
}

/// Writes all of the bytes, repeating the call after partial writes.
///
/// - Parameter call: Writes like write(2).
package func writeAll(_ bytes: [UInt8], _ call: (UnsafeRawBufferPointer) -> Int) throws(Errno) {
    var done = 0
    while done < bytes.count {
        let count = try check("write") { bytes.withUnsafeBytes { call(UnsafeRawBufferPointer(rebasing: $0[done...])) } }
        // No file accepts zero bytes of a non-empty buffer; endless retries would hang.
        guard count > 0 else { throw Errno(EIO, "write") }
        done += count
    }
}

/// Makes the names in a directory durable (fsync(2)).
package func syncDirectory(
    _ path: String, in folder: Int32 = AT_FDCWD, calls: any FileCalls = KernelFileCalls()
) throws(Errno) {
    let directory = try check("open \(path)") { calls.open(path, in: folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0) }
    defer { calls.close(directory) }
    do throws(Errno) { try check("fsync \(path)") { calls.sync(directory) } } catch {
        // Some file systems cannot sync a directory (fsync(2): EINVAL).
        guard error.code == EINVAL else { throw error }
    }
}

/// Creates a directory accessible only to its owner, and missing parents, as `mkdir -p` does.
package func createDirectories(_ path: String) throws(Errno) {
    if mkdir(path, 0o700) == 0 { return }
    switch errno {
    case EEXIST: return
    case ENOENT:
        guard let slash = path.lastIndex(of: "/"), slash > path.startIndex else { throw Errno(ENOENT, "mkdir") }
        try createDirectories(String(path[..<slash]))
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw Errno(errno, "mkdir") }
    default: throw Errno(errno, "mkdir")
    }
}
