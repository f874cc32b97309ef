package import Basics
package import Glibc
import Synchronization

/// The bytes of materialised and edited files: a plain file each, `content/XX/NODE.GENERATION`, so that they can be
/// passed to the kernel.
///
/// The metadata gives blobs their meaning. Paths are relative to the open folder, even if it is renamed.
package final class ContentStore: Sendable {
    let root: Int32
    let shards: ContentShards
    let onCall: (@Sendable (ContentCall) throws(Errno) -> Void)?
    let unsynced: UnsyncedBlobs
    let given = GivenNames()
    let newNames: Mutex<UnsyncedNames>
    private let spares: SpareFiles?
    package let costs = RequestCosts()

    /// Opens the folder, creating it if missing. Each shard is created with its first blob. `onCall` runs before each
    /// call that changes the disk; a test lets it fail there, or ends the process.
    ///
    /// - Parameter background: Where files for new blobs are created ahead; nil: none are.
    package init(
        directory: String, onCall: (@Sendable (ContentCall) throws(Errno) -> Void)? = nil, background: Background? = nil
    ) throws {
        self.onCall = onCall
        if mkdir(directory, 0o700) != 0, errno != EEXIST { throw Errno(errno, "mkdir \(directory)") }
        root = Int32(
            try check("open \(directory)") { Glibc.open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC) })
        shards = ContentShards(root: root)
        unsynced = try UnsyncedBlobs(root: root)
        spares = if let background { try SpareFiles(root: root, background: background) } else { nil }
        newNames = Mutex(UnsyncedNames(try shards.existing().map { ContentShards.name($0) }))
        // Makes shards' names durable that a process created and did not sync before it died.
        try check("fsync") { fsync(root) }
        try renewAll()
    }

    deinit { close(root) }

    /// Creates an empty blob and opens it for reading and writing. A leftover of that name is emptied.
    package func create(_ blob: BlobName) throws(Errno) -> Int32 { try make(blob, O_TRUNC) }

    /// Opens a blob for reading and writing, creating it if missing, and keeps its content.
    package func openOrCreate(_ blob: BlobName) throws(Errno) -> Int32 { try make(blob, 0) }

    /// - Parameter flags: For an existing blob.
    private func make(_ blob: BlobName, _ flags: Int32) throws(Errno) -> Int32 {
        var spare = spares?.take(near: ContentShards.name(of: blob))
        defer { if let spare { close(spare) } }
        return try inShard(of: blob, "create") { path in
            if let spares, let file = spare, spares.link(file, as: path) {
                spare = nil
                return file
            }
            return openat(root, path, O_RDWR | O_CREAT | O_CLOEXEC | flags, 0o600)
        }
    }

    /// Opens a blob for reading and writing; `ENOENT` if there is none.
    package func open(_ blob: BlobName) throws(Errno) -> Int32 {
        Int32(try check("open") { openat(root, Self.path(of: blob), O_RDWR | O_CLOEXEC) })
    }

    /// Removes a blob; succeeds if it is gone.
    package func remove(_ blob: BlobName) throws(Errno) {
        try onCall?(.remove)
        if unlinkat(root, Self.path(of: blob), 0) != 0, errno != ENOENT { throw Errno(errno, "unlink") }
        newNames.withLock { $0.remove(blob) }
        try unsynced.remove(blob)
    }

    /// Renames a blob, replacing any existing blob of the new name.
    package func rename(_ old: BlobName, to new: BlobName) throws(Errno) {
        _ = try inShard(of: new, "rename") { renameat(root, Self.path(of: old), root, $0) }
    }

    /// Links a blob of a second store on the same file system into this one; `EEXIST` if the name is taken.
    package func link(_ old: BlobName, of other: ContentStore, as new: BlobName) throws(Errno) {
        _ = try inShard(of: new, "link") { linkat(other.root, Self.path(of: old), root, $0, 0) }
    }

    /// Reads at most `count` bytes from the beginning of a blob.
    package func firstBytes(of blob: BlobName, _ count: Int) throws(Errno) -> [UInt8] {
        let descriptor = try open(blob)
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: count)
        let read = Int(try check("pread") { Int32(pread(descriptor, &bytes, count, 0)) })
        return Array(bytes.prefix(read))
    }

    package func status(_ blob: BlobName) throws(Errno) -> BlobStatus {
        var status = stat()
        try check("stat") { fstatat(root, Self.path(of: blob), &status, 0) }
        return BlobStatus(status)
    }

    /// Sets a blob's modification time, which mirrors the document's while no handle is open.
    package func setModified(_ time: Timestamp, of blob: BlobName) throws(Errno) {
        try onCall?(.setTime)
        try check("utimensat") {
            withTimes(time) { utimensat(root, Self.path(of: blob), $0, 0) }
        }
    }

    /// Returns the size and free bytes of the blobs' file system.
    package func space() throws(Errno) -> statvfs {
        var result = statvfs()
        try check("fstatvfs") { fstatvfs(root, &result) }
        return result
    }

    /// Returns how many more bytes can be written to that file system.
    package func freeBytes() throws(Errno) -> UInt64 {
        let space = try space()
        let free = UInt64(space.f_bavail).multipliedReportingOverflow(by: UInt64(space.f_frsize))
        return free.overflow ? .max : free.partialValue
    }

    /// Returns how many more files can be created there; a file system without such a count has room for any number.
    package func freeFiles() throws(Errno) -> UInt64 {
        let space = try space()
        return space.f_files == 0 ? .max : UInt64(space.f_favail)
    }

    /// Returns the existing shards, in order: 256 at most.
    package func existingShards() throws(Errno) -> [Int] { try shards.existing() }

    /// Returns the blobs of a shard, in no order; none if there is no such shard.
    package func blobs(inShard shard: Int) throws(Errno) -> [BlobName] {
        try shards.names(in: ContentShards.name(shard)).compactMap(BlobName.init)
    }

    /// Returns the path of a blob below the folder.
    package static func path(of blob: BlobName) -> String { "\(ContentShards.name(of: blob))/\(blob)" }

    /// Runs a system call with `blob`'s name, and again after creating a missing shard.
    private func inShard(of blob: BlobName, _ what: String, _ call: (String) -> Int32) throws(Errno) -> Int32 {
        try onCall?(.name)
        given.insert(blob)
        // Before the name exists, so that no other thread takes it for durable.
        newNames.withLock { $0.insert(blob) }
        let path = Self.path(of: blob)
        do throws(Errno) { return try check(what) { call(path) } } catch {
            guard error.code == ENOENT else { throw error }
        }
        try shards.make(ContentShards.name(of: blob))
        return try check(what) { call(path) }
    }
}
