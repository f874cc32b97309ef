import Basics
import Glibc
import Synchronization

/// The blobs' folders, each created with its first blob.
final class ContentShards: Sendable {
    private let root: Int32
    /// Shards created by this process that may not survive a power failure.
    private let unsynced = Mutex<Set<String>>([])

    /// Uses `root`, which must stay open as long as this object is used.
    init(root: Int32) { self.root = root }

    /// Returns the name of a shard; `shard` is 0 to 255.
    static func name(_ shard: Int) -> String { Hex.encode(UInt8(truncatingIfNeeded: shard)) }

    /// Returns a blob's shard. Neighbours share a shard, because a disk finds the place for a new file fastest beside
    /// the previous one.
    static func name(of blob: BlobName) -> String { name(Int(blob.node / 4096 % 256)) }

    /// Creates a shard; succeeds if it exists.
    func make(_ shard: String) throws(Errno) {
        let code = unsynced.withLock { unsynced -> Int32 in
            guard mkdirat(root, shard, 0o700) != 0 else {
                // Recorded before any thread can find the shard and assume it durable.
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

    /// Returns the names in a folder; none if it does not exist.
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
            names.append(entry.name)
        }
        return names
    }
}
