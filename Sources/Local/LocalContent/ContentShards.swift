import Basics
import Glibc
import Synchronization

/// The folders that blobs lie in, each made when its first blob comes.
final class ContentShards: Sendable {
    private let root: Int32
    /// Made by this process, and not known to survive the loss of power.
    private let unsynced = Mutex<Set<String>>([])

    /// `root` stays open as long as this is used.
    init(root: Int32) { self.root = root }

    /// `shard` is 0 to 255.
    static func name(_ shard: Int) -> String { Hex.encode(UInt8(truncatingIfNeeded: shard)) }

    /// Neighbours stand together: a disk finds the place for a new file fastest where it made the one before.
    static func name(of blob: BlobName) -> String { name(Int(blob.node / 4096 % 256)) }

    /// Makes a shard; no error where it is.
    func make(_ shard: String) throws(Errno) {
        let code = unsynced.withLock { unsynced -> Int32 in
            guard mkdirat(root, shard, 0o700) != 0 else {
                // Recorded before another thread can find it and take it for durable.
                unsynced.insert(shard)
                return 0
            }
            return errno
        }
        guard code == 0 || code == EEXIST else { throw Errno(code, "mkdir") }
    }

    /// Makes the shard's own name durable.
    func sync(_ shard: String) throws(Errno) {
        guard unsynced.withLock({ $0.contains(shard) }) else { return }
        try check("fsync") { fsync(root) }
        _ = unsynced.withLock { $0.remove(shard) }
    }

    func existing() throws(Errno) -> [Int] {
        try names(in: ".").compactMap { $0.count == 2 ? Int($0, radix: 16) : nil }.sorted()
    }

    /// What is in a folder; nothing where there is none.
    func names(in folder: String) throws(Errno) -> [String] {
        let descriptor: Int32
        do throws(Errno) {
            descriptor = try check("open") { openat(root, folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        } catch {
            if error.code == ENOENT { return [] }
            throw error
        }
        guard let stream = fdopendir(descriptor) else {
            close(descriptor)
            throw Errno(errno, "opendir")
        }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            names.append(
                withUnsafeBytes(of: &entry.pointee.d_name) { raw in
                    String(decoding: raw.prefix { $0 != 0 }, as: UTF8.self)
                })
        }
        return names
    }
}
