import Basics
import CLinux
package import CloudModel
import Glibc
import Synchronization

/// Identifies the file of a chunk's frame.
package struct ChunkPlace: Hashable, Sendable {
    package let container: Int64
    package let id: ChunkID
    /// The size of the frame in bytes. It is part of the file's name: frames of one chunk may differ, and a row refers to exactly one of
    /// them.
    package let size: Int

    /// The path below the folder of chunks.
    var name: String {
        let digits = id.description
        return "\(container)/\(digits.prefix(2))/\(digits.dropFirst(2))-\(size)"
    }
}

/// The files of chunks: `chunks/CONTAINER/AB/CDEF…-SIZE`. Every call blocks.
final class ChunkFiles: Sendable {
    let directory: DataDirectory
    private let counter = Atomic<UInt64>(0)
    /// Shards whose folder is known to be durable, as container times 256 plus shard.
    private let durableShards = Mutex<Set<Int64>>([])

    /// The number of files from which one sync of the file system costs less than one per file.
    private static let manyFiles = 8

    init(_ directory: DataDirectory) { self.directory = directory }

    /// Writes files. On return all of them are complete and durable, and so are their names.
    func write(_ chunks: [(place: ChunkPlace, frame: [UInt8])]) throws {
        let shards = Set(chunks.map { shard(of: $0.place) })
        for shard in shards { try makeDurable(shard) }
        let isMany = chunks.count >= Self.manyFiles
        var written: [(temporary: String, place: ChunkPlace)] = []
        // Renamed files no longer have their temporary name; the others are of no use.
        defer { for file in written { unlink(file.temporary) } }
        for chunk in chunks {
            let path = "\(directory.temporary)/\(getpid())-\(counter.add(1, ordering: .relaxed).newValue)"
            written.append((path, chunk.place))
            try writeFile(path, chunk.frame, syncs: !isMany)
        }
        if isMany { try syncAll() }
        for file in written { try check("rename") { rename(file.temporary, path(of: file.place)) } }
        if isMany { try syncAll() } else { for shard in shards { try syncDirectory(folder(of: shard)) } }
    }

    /// Reads a range of a frame's bytes; nil if its file is missing. Throws `damaged` for a file of another length.
    func read(_ place: ChunkPlace, _ range: Range<Int>) throws -> [UInt8]? {
        let descriptor = open(path(of: place), O_RDONLY | O_CLOEXEC)
        if descriptor < 0, errno == ENOENT { return nil }
        guard descriptor >= 0 else { throw Errno(errno, "open") }
        defer { close(descriptor) }
        var information = stat()
        try check("fstat") { fstat(descriptor, &information) }
        guard information.st_size == place.size, range.upperBound <= place.size else { throw Self.damaged(place) }
        return try [UInt8](unsafeUninitializedCapacity: range.count) { buffer, count in
            while count < range.count {
                let target = UnsafeMutableRawBufferPointer(
                    rebasing: UnsafeMutableRawBufferPointer(buffer)[count..<range.count])
                let done = try check("pread") {
                    pread(descriptor, target.baseAddress, target.count, off_t(range.lowerBound + count))
                }
                guard done > 0 else { throw Self.damaged(place) }
                count += done
            }
        }
    }

    /// Whether there is a file of that name and size.
    func exists(_ place: ChunkPlace) -> Bool {
        var information = stat()
        return lstat(path(of: place), &information) == 0 && information.st_size == place.size
    }

    private static func damaged(_ place: ChunkPlace) -> StorageError {
        StorageError(
            .damaged, "The file of chunk \(place.id) is damaged. Devices that have the chunk will upload it again.")
    }

    private func writeFile(_ path: String, _ bytes: [UInt8], syncs: Bool) throws {
        let descriptor = try check("open") { open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600) }
        defer { close(descriptor) }
        try writeAll(bytes) { Glibc.write(descriptor, $0.baseAddress, $0.count) }
        if syncs { try check("fsync") { fsync(descriptor) } }
    }

    private func syncAll() throws {
        let descriptor = try check("open") { open(directory.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        defer { close(descriptor) }
        try check("syncfs") { syncfs(descriptor) }
    }

    private func shard(of place: ChunkPlace) -> Int64 { place.container << 8 | Int64(place.id.words.0 >> 56) }

    private func folder(of shard: Int64) -> String {
        "\(directory.chunks)/\(shard >> 8)/\(Hex.encode(UInt8(truncatingIfNeeded: shard)))"
    }

    func path(of place: ChunkPlace) -> String { "\(directory.chunks)/\(place.name)" }

    /// Makes a shard's folder durable. A thread that finds the folder made by another thread syncs it too, because the other may not have
    /// done so yet.
    private func makeDurable(_ shard: Int64) throws {
        guard durableShards.withLock({ !$0.contains(shard) }) else { return }
        let container = "\(directory.chunks)/\(shard >> 8)"
        for (path, parent) in [(container, directory.chunks), (folder(of: shard), container)] {
            if mkdir(path, 0o700) != 0, errno != EEXIST { throw Errno(errno, "mkdir \(path)") }
            try syncDirectory(parent)
        }
        durableShards.withLock { _ = $0.insert(shard) }
    }
}
