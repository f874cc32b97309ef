import Chunking
import CloudModel
import CloudStorage

/// Copies the chunks of contents between two clouds, a bounded number at a time. Every chunk is verified against its
/// name.
struct ChunkCopy {
    /// The concurrent transfers. A chunk has at most 16 MiB, usually at most 1 MiB, so this bounds the memory as well.
    private static let width = 8
    /// The number of chunks per query to the target.
    private static let batch = 512

    /// The work done so far.
    struct Tally {
        /// The chunks put, and their bytes as stored.
        var count = 0
        var bytes: UInt64 = 0
        /// The bytes of contents now in the target.
        var done: UInt64 = 0
        var incompleteContents = 0
    }

    /// A chunk of a content, with the bytes that it represents.
    private struct Wanted {
        let id: ChunkID
        let length: UInt64
        let owner: Int
    }

    private let source: any CloudBackend
    private let container: ContainerName
    var keys: CopiedKeys
    var tally = Tally()

    init(from source: any CloudBackend, _ container: ContainerName, keys: CopiedKeys) {
        self.source = source
        self.container = container
        self.keys = keys
    }

    /// Copies chunks missing from the target: data before the manifests that list them.
    ///
    /// - Parameter onProgress: Called with ``tally`` after each chunk.
    mutating func copy(_ contents: [ContentReference], onProgress: (Tally) -> Void) async throws {
        var waiting: [Wanted] = []
        var lists: [Wanted] = []
        var incomplete: Set<Int> = []
        for start in stride(from: 0, to: contents.count, by: Self.width) {
            let group = Array(contents[start..<min(start + Self.width, contents.count)].enumerated())
            let manifests = try await manifests(of: group.filter { $0.element.layout == .manifest })
            for (index, content) in group {
                let owner = start + index
                guard content.layout == .manifest else {
                    waiting.append(Wanted(id: content.digest, length: content.size, owner: owner))
                    continue
                }
                guard let list = manifests[index] else {
                    incomplete.insert(owner)
                    tally.done &+= content.size
                    continue
                }
                for number in 0..<list.partCount {
                    waiting += list.part(number).chunks.map {
                        Wanted(id: $0.id, length: UInt64($0.length), owner: owner)
                    }
                    try await flush(&waiting, .data, &incomplete, leaving: Self.batch, onProgress)
                }
                lists.append(Wanted(id: content.digest, length: 0, owner: owner))
            }
            try await flush(&waiting, .data, &incomplete, leaving: Self.batch, onProgress)
        }
        try await flush(&waiting, .data, &incomplete, leaving: 0, onProgress)
        try await flush(&lists, .manifest, &incomplete, leaving: 0, onProgress)
        tally.incompleteContents += incomplete.count
    }

    /// Returns the source's manifests, by index.
    private func manifests(of contents: [(offset: Int, element: ContentReference)]) async throws -> [Int: ManifestList]
    {
        try await withThrowingTaskGroup(of: (Int, ManifestList?).self) { [self] group in
            for (index, content) in contents { group.addTask { (index, try await manifest(of: content)) } }
            return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
    }

    private func manifest(of content: ContentReference) async throws -> ManifestList? {
        guard let frame = try await frame(content.digest) else { return nil }
        let list = try? ManifestList(checking: ChunkFrame.decode(frame, expecting: content.digest))
        return list?.size == content.size ? list : nil
    }

    /// Copies the first of the waiting chunks, in groups, until at most `rest` wait.
    private mutating func flush(
        _ waiting: inout [Wanted], _ kind: OutgoingChunk.Kind, _ incomplete: inout Set<Int>, leaving rest: Int,
        _ onProgress: (Tally) -> Void
    ) async throws {
        while waiting.count > rest {
            let part = waiting.prefix(Self.batch)
            waiting.removeFirst(part.count)
            var lengths: [ChunkID: UInt64] = [:]
            for chunk in part { lengths[chunk.id, default: 0] &+= chunk.length }
            let missing = try await keys.missing(Array(lengths.keys))
            for (id, length) in lengths where !missing.contains(id) { tally.done &+= length }
            onProgress(tally)
            let absent = try await copy(missing, kind, lengths, onProgress)
            for chunk in part where absent.contains(chunk.id) { incomplete.insert(chunk.owner) }
        }
    }

    /// - Returns: The chunks missing from the source.
    private mutating func copy(
        _ chunks: Set<ChunkID>, _ kind: OutgoingChunk.Kind, _ lengths: [ChunkID: UInt64], _ onProgress: (Tally) -> Void
    ) async throws -> Set<ChunkID> {
        var waiting = Array(chunks)[...]
        var (tally, absent) = (tally, Set<ChunkID>())
        try await withThrowingTaskGroup(of: (ChunkID, UInt64?).self) { [self] group in
            for _ in 0..<Self.width {
                if let id = waiting.popFirst() { group.addTask { (id, try await copy(id, kind)) } }
            }
            while let (id, size) = try await group.next() {
                if let size {
                    (tally.count, tally.bytes) = (tally.count + 1, tally.bytes &+ size)
                } else {
                    absent.insert(id)
                }
                tally.done &+= lengths[id] ?? 0
                onProgress(tally)
                if let id = waiting.popFirst() { group.addTask { (id, try await copy(id, kind)) } }
            }
        }
        self.tally = tally
        return absent
    }

    /// - Returns: The size of the chunk as stored; nil if the source does not have it.
    private func copy(_ id: ChunkID, _ kind: OutgoingChunk.Kind) async throws -> UInt64? {
        guard let frame = try await frame(id) else { return nil }
        try await keys.put(OutgoingChunk(id: id, kind: kind, frame: frame))
        return UInt64(frame.count)
    }

    /// - Returns: Nil for a chunk absent or damaged in the source.
    private func frame(_ id: ChunkID) async throws -> [UInt8]? {
        do {
            let frame = try await source.getChunk(id, in: container)
            _ = try ChunkFrame.decode(frame, expecting: id)
            return frame
        } catch let error as CloudError where [.notFound, .damaged].contains(error.code) {
            return nil
        } catch let error as ChunkError where error.code != .tooNew {
            return nil
        }
    }
}
