import Basics
import CLinux
import CloudModel
import Glibc
import NIOPosix
import Synchronization

/// The frames of chunks as files: `chunks/CONTAINER/AB/CDEF…-SIZE`.
final class ChunkFiles: ChunkObjects {
    let directory: DataDirectory
    /// For blocking calls to the disk.
    private let threads: NIOThreadPool
    private let counter = Atomic<UInt64>(0)
    /// Shards with a durable folder, as container times 256 plus shard.
    private let durableShards = Mutex<Set<Int64>>([])

    /// The number of files from which one sync of the file system is cheaper than one per file.
    private static let manyFiles = 8

    init(_ directory: DataDirectory, _ threads: NIOThreadPool) {
        self.directory = directory
        self.threads = threads
    }

    var isLocal: Bool { true }

    func epoch(_ db: any StorageTransaction) throws -> Int64? { nil }

    /// Files without a row are removed under the lock of the transaction calling this, so an existing file stays.
    func stays(_ place: ChunkPlace, in epoch: Int64?) -> Bool { isThere(place) }

    func write(_ chunks: [(place: ChunkPlace, frame: [UInt8])]) async throws {
        try await threads.blocking { [self] in try writeAtOnce(chunks) }
    }

    func read(_ place: ChunkPlace, _ range: Range<Int>) async throws -> [UInt8]? {
        try await threads.blocking { [self] in try readAtOnce(place, range) }
    }

    func link(to place: ChunkPlace, for lifetime: Duration) -> String? { nil }

    func heads(of places: [ChunkPlace], _ length: Int) async throws -> [[UInt8]] {
        try await threads.blocking { [self] in
            try places.map { place in
                do { return try readAtOnce(place, 0..<min(place.size, length)) ?? [] } catch let error as StorageError {
                    guard error.code == .damaged else { throw error }
                    return []
                }
            }
        }
    }

    func exists(_ place: ChunkPlace) async throws -> Bool {
        try await threads.blocking { [self] in isThere(place) }
    }

    func removeAll(of container: Int64) async throws {
        try await threads.blocking { [directory] in try removeTree("\(directory.chunks)/\(container)") }
    }

    func keep(generation: Int64) async throws -> Int64 {
        try await threads.blocking { [directory] in
            try directory.keep(generation: generation)
            return generation
        }
    }

    func generation() async throws -> Int64? {
        try await threads.blocking { [directory] in try directory.generation() }
    }

    func freeBytes() async throws -> UInt64? {
        try await threads.blocking { [directory] in try directory.freeBytes() }
    }

    // MARK: Blocking calls

    private func writeAtOnce(_ chunks: [(place: ChunkPlace, frame: [UInt8])]) throws {
        let shards = Set(chunks.map { shard(of: $0.place) })
        for shard in shards { try makeDurable(shard) }
        let isMany = chunks.count >= Self.manyFiles
        var written: [(temporary: String, place: ChunkPlace)] = []
        // Renamed files no longer have their temporary name; the rest are of no use.
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

    private func readAtOnce(_ place: ChunkPlace, _ range: Range<Int>) throws -> [UInt8]? {
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

    private func isThere(_ place: ChunkPlace) -> Bool {
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

    private func path(of place: ChunkPlace) -> String { "\(directory.chunks)/\(place.name)" }

    /// Makes a shard's folder durable. A thread that finds the folder already created by a concurrent thread syncs it
    /// too, because that thread may not have done so yet.
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

// MARK: Files without a row

extension ChunkFiles {
    /// The age in seconds from which a file is no longer being written.
    private static let strayAge: Int64 = 3_600

    func beginSweep() async throws -> Int64 { Int64(time(nil)) - Self.strayAge }

    /// Each page has the files of one shard.
    func forEachName(
        in containers: [Int64], settledBefore mark: Int64?, _ visit: ([String]) async throws -> Bool
    ) async throws {
        for container in containers {
            for shard in 0...UInt8.max {
                try Task.checkCancellation()
                let names = try await threads.blocking { [self] in
                    listed(in: "\(container)/\(Hex.encode(shard))", changedBy: mark ?? .max)
                }
                if !names.isEmpty, try await !visit(names) { return }
            }
        }
    }

    /// Returns the paths of files last changed at `latest` or before, relative to the folder of chunks.
    private func listed(in folder: String, changedBy latest: Int64) -> [String] {
        let path = "\(directory.chunks)/\(folder)"
        return fileNames(in: path).filter { name in
            var information = stat()
            return lstat("\(path)/\(name)", &information) == 0 && information.st_mtim.tv_sec <= latest
        }.map { "\(folder)/\($0)" }
    }

    /// Runs under the write lock: a concurrent request putting such a file sees that it is gone before adding its row.
    func remove(_ names: [String], in database: any StorageDatabase) async throws -> Int {
        try await database.commit { [directory] db in
            try names.reduce(0) { count, name in
                guard try !ChunkStore.hasRow(name, db) else { return count }
                return count + (unlink("\(directory.chunks)/\(name)") == 0 ? 1 : 0)
            }
        }
    }
}
