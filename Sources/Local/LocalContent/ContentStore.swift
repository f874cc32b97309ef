package import Basics
import CLinux
package import Glibc

/// The name of a blob: the node whose content it is, and which of its contents. A replaced content gets a new generation, so what a
/// handle has open is never written over.
package struct BlobName: Hashable, Sendable, CustomStringConvertible {
    package let node: UInt64
    package let generation: UInt64

    package init(node: UInt64, generation: UInt64) {
        self.node = node
        self.generation = generation
    }

    package var description: String { "\(node).\(generation)" }

    init?(fileName: String) {
        let parts = fileName.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let node = UInt64(parts[0]), let generation = UInt64(parts[1]) else { return nil }
        self.init(node: node, generation: generation)
    }
}

/// The bytes of materialised and edited files: one plain file each, `content/XX/NODE.GENERATION`, so that the kernel can be handed them.
///
/// Holds no state: what a blob means is in the metadata. Paths are relative to one open folder, whatever becomes of its name.
package final class ContentStore: Sendable {
    private let root: Int32

    /// Opens the folder and makes it, with its 256 shards, where they are missing.
    package init(directory: String) throws {
        if mkdir(directory, 0o700) != 0, errno != EEXIST { throw Errno(errno, "mkdir \(directory)") }
        root = Int32(
            try check("open \(directory)") { Glibc.open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC) })
        for shard in 0..<256 where mkdirat(root, Self.shardName(shard), 0o700) != 0 && errno != EEXIST {
            throw Errno(errno, "mkdir")
        }
        try check("fsync") { fsync(root) }
    }

    deinit { close(root) }

    /// Makes an empty blob and opens it for reading and writing. A leftover of that name is emptied.
    package func create(_ blob: BlobName) throws(Errno) -> Int32 {
        Int32(
            try check("create") {
                openat(root, Self.path(blob), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
            })
    }

    /// Opens a blob for reading and writing, makes it where there is none, and keeps what it holds.
    package func openOrCreate(_ blob: BlobName) throws(Errno) -> Int32 {
        Int32(try check("create") { openat(root, Self.path(blob), O_RDWR | O_CREAT | O_CLOEXEC, 0o600) })
    }

    /// Opens a blob for reading and writing; `ENOENT` where there is none.
    package func open(_ blob: BlobName) throws(Errno) -> Int32 {
        Int32(try check("open") { openat(root, Self.path(blob), O_RDWR | O_CLOEXEC) })
    }

    /// Removes a blob; no error when it is gone.
    package func remove(_ blob: BlobName) throws(Errno) {
        if unlinkat(root, Self.path(blob), 0) != 0, errno != ENOENT { throw Errno(errno, "unlink") }
    }

    /// Gives a blob another name, replacing what has it.
    package func rename(_ old: BlobName, to new: BlobName) throws(Errno) {
        try check("rename") { renameat(root, Self.path(old), root, Self.path(new)) }
    }

    /// Gives a blob of another store on the same file system a second name in this one; `EEXIST` where that is taken.
    package func link(_ old: BlobName, of other: ContentStore, as new: BlobName) throws(Errno) {
        try check("link") { linkat(other.root, Self.path(old), root, Self.path(new), 0) }
    }

    package func status(_ blob: BlobName) throws(Errno) -> BlobStatus {
        var status = stat()
        try check("stat") { fstatat(root, Self.path(blob), &status, 0) }
        return BlobStatus(status)
    }

    /// Sets the modification time of a blob, which mirrors the document's while no handle is open.
    package func setModified(_ time: Timestamp, of blob: BlobName) throws(Errno) {
        try check("utimensat") {
            withTimes(time) { utimensat(root, Self.path(blob), $0, 0) }
        }
    }

    /// Makes the blob's name durable; its bytes are the caller's `fdatasync(2)`.
    package func syncName(of blob: BlobName) throws(Errno) {
        let shard = Int32(
            try check("open") {
                openat(root, Self.shardName(of: blob), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            })
        defer { close(shard) }
        try check("fsync") { fsync(shard) }
    }

    /// Makes a blob's bytes and its name durable; no error when it is gone.
    package func sync(_ blob: BlobName) throws(Errno) {
        let descriptor: Int32
        do throws(Errno) { descriptor = try open(blob) } catch {
            if error.code == ENOENT { return }
            throw error
        }
        defer { close(descriptor) }
        try check("fdatasync") { fdatasync(descriptor) }
        try syncName(of: blob)
    }

    /// Makes every blob written so far durable, with one flush of the file system (`syncfs(2)`).
    package func syncAll() throws(Errno) { try check("syncfs") { syncfs(root) } }

    /// Size and free bytes of the file system that holds the blobs.
    package func space() throws(Errno) -> statvfs {
        var result = statvfs()
        try check("fstatvfs") { fstatvfs(root, &result) }
        return result
    }

    /// The blobs of one of the 256 shards, in no order.
    package func blobs(inShard shard: Int) throws(Errno) -> [BlobName] {
        let descriptor = Int32(
            try check("open") { openat(root, Self.shardName(shard), O_RDONLY | O_DIRECTORY | O_CLOEXEC) })
        guard let stream = fdopendir(descriptor) else {
            close(descriptor)
            throw Errno(errno, "opendir")
        }
        defer { closedir(stream) }
        var blobs: [BlobName] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { raw in
                String(decoding: raw.prefix { $0 != 0 }, as: UTF8.self)
            }
            if let blob = BlobName(fileName: name) { blobs.append(blob) }
        }
        return blobs
    }

    private static func shardName(_ shard: Int) -> String {
        let text = String(shard, radix: 16)
        return text.count == 1 ? "0" + text : text
    }

    /// Neighbours stand together: a disk finds the place for a new file fastest where it made the one before.
    private static func shardName(of blob: BlobName) -> String { shardName(Int(blob.node / 4096 % 256)) }

    private static func path(_ blob: BlobName) -> String { "\(shardName(of: blob))/\(blob)" }
}

/// What decides whether a blob was written: any write changes one of these.
package struct BlobStatus: Hashable, Sendable {
    package let size: UInt64
    package let modified: Timestamp
    package let changed: Timestamp
    /// Allocated 512-byte blocks.
    package let blocks: UInt64

    init(_ status: stat) {
        size = UInt64(clamping: status.st_size)
        modified = Timestamp(status.st_mtim)
        changed = Timestamp(status.st_ctim)
        blocks = UInt64(clamping: status.st_blocks)
    }

    /// The status of an open blob.
    package init(descriptor: Int32) throws(Errno) {
        var status = stat()
        try check("fstat") { fstat(descriptor, &status) }
        self.init(status)
    }

    /// Whether bytes or size may differ between the two; the change time alone moves with `utimensat(2)` too.
    package func hasSameContent(as other: BlobStatus) -> Bool { size == other.size && modified == other.modified }
}

/// Sets the modification time of an open blob.
package func setModified(_ time: Timestamp, descriptor: Int32) throws(Errno) {
    try check("futimens") { withTimes(time) { futimens(descriptor, $0) } }
}

private func withTimes(_ time: Timestamp, _ body: (UnsafePointer<timespec>) -> Int32) -> Int32 {
    let times = [timespec(tv_sec: 0, tv_nsec: Int(utimeOmit)), time.timespec]
    return times.withUnsafeBufferPointer { buffer in buffer.baseAddress.map(body) ?? -1 }
}

/// `UTIME_OMIT` of `<sys/stat.h>`, a macro that Swift does not import.
private let utimeOmit = (1 << 30) - 2
