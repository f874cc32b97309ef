import Chunking
import CloudModel
import CloudStorage

/// Copies the chunks of contents from one cloud to another, a bounded number at a time. Every chunk is verified against its name.
struct ChunkCopy {
    /// The transfers at once. A chunk has 16 MiB at most, usually one, so this bounds the memory as well.
    private static let width = 8

    private enum Outcome { case copied(UInt64), absent }

    private let source: any CloudBackend
    private let container: ContainerName
    private(set) var keys: CopiedKeys
    private(set) var count = 0
    private(set) var bytes: UInt64 = 0
    private(set) var incompleteContents = 0

    init(from source: any CloudBackend, _ container: ContainerName, keys: CopiedKeys) {
        self.source = source
        self.container = container
        self.keys = keys
    }

    /// Copies the chunks that the target lacks.
    ///
    /// - Parameter onProgress: Called with ``count`` and ``bytes`` after each group of chunks.
    mutating func copy(_ content: ContentReference, onProgress: (Int, UInt64) -> Void) async throws {
        var isComplete: Bool
        if content.layout == .manifest {
            guard let list = try await manifest(of: content) else {
                incompleteContents += 1
                return
            }
            isComplete = true
            for number in 0..<list.partCount {
                isComplete = try await copy(list.part(number).chunks.map(\.id), .data) && isComplete
                onProgress(count, bytes)
            }
            isComplete = try await copy([content.digest], .manifest) && isComplete
        } else {
            isComplete = try await copy([content.digest], .data)
        }
        onProgress(count, bytes)
        if !isComplete { incompleteContents += 1 }
    }

    private func manifest(of content: ContentReference) async throws -> ManifestList? {
        guard let frame = try await frame(content.digest) else { return nil }
        let list = try? ManifestList(checking: ChunkFrame.decode(frame, expecting: content.digest))
        return list?.size == content.size ? list : nil
    }

    /// - Returns: Whether the target has all of these chunks now.
    private mutating func copy(_ chunks: [ChunkID], _ kind: OutgoingChunk.Kind) async throws -> Bool {
        var waiting = Array(try await keys.missing(Array(Set(chunks))))[...]
        var isComplete = true
        try await withThrowingTaskGroup(of: Outcome.self) { [self] group in
            for _ in 0..<Self.width { if let id = waiting.popFirst() { group.addTask { try await copy(id, kind) } } }
            var done: [Outcome] = []
            while let outcome = try await group.next() {
                done.append(outcome)
                if let id = waiting.popFirst() { group.addTask { try await copy(id, kind) } }
            }
            return done
        }
        .forEach { outcome in
            switch outcome {
            case .copied(let size): (count, bytes) = (count + 1, bytes &+ size)
            case .absent: isComplete = false
            }
        }
        return isComplete
    }

    private func copy(_ id: ChunkID, _ kind: OutgoingChunk.Kind) async throws -> Outcome {
        guard let frame = try await frame(id) else { return .absent }
        try await keys.put(OutgoingChunk(id: id, kind: kind, frame: frame))
        return .copied(UInt64(frame.count))
    }

    /// - Returns: Nil for a chunk that is absent or damaged in the source.
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
