import Basics
import Chunking
import CloudModel
import CloudStorage
import ContainerLog
import LocalMetadata
import TestSupport

/// A container of a cloud without a server: its log and its chunk keys. It checks after each request that everything
/// needed is readable.
final class CollectionCloud {
    /// A request sent but not arrived.
    enum Request {
        case put(ChunkKey)
        case remove(ChunkKey)
        case append(ChangeBatch)
    }

    private(set) var log: [ChangeBatch] = []
    private var stored: [ChunkID: Set<UInt64>] = [:]
    /// The chunks of each content ever created, including a manifest's own chunk.
    private(set) var chunks: [Digest: [ChunkID]] = [:]
    /// All contents of documents, in order of creation.
    private(set) var contents: [ContentReference] = []
    private(set) var lists: [Digest: CollectionList] = [:]
    private var late: [Request] = []
    /// Folds each entry immediately.
    private(set) var observer: FoldedLog
    private(set) var problem: String?
    private(set) var story: [String] = []
    var now = Timestamp(seconds: 1_800_000_000)
    let plan: CollectionHistoryPlan
    /// The number of events worth simulating.
    var figures = CollectionFigures()

    init(_ plan: CollectionHistoryPlan) {
        self.plan = plan
        observer = FoldedLog(mistake: plan.mistake)
    }

    func note(_ line: @autoclosure () -> String) {
        if plan.isVerbose { story.append(line()) }
    }

    func fail(_ text: String) {
        note(text)
        if problem == nil { problem = text }
    }

    /// The common part of all devices' histories, regardless of their clocks.
    private var needs: Set<ContentReference> {
        observer.needs(at: now, kept: VersionLimits.keptAge - .seconds(86_400))
    }

    // MARK: Contents

    /// Creates a content of new and of shared chunks.
    func newContent(_ random: inout SeededGenerator) -> ContentReference {
        let number = UInt64(contents.count + 1) << 8
        let count = random.number(1..<4)
        var ids: [ChunkID] = []
        for index in 0..<count {
            let shared = random.chance(30) ? random.pick(contents).flatMap { chunks[$0.digest]?.first } : nil
            ids.append(shared ?? Self.digest(number + UInt64(index)))
        }
        // A single-chunk content has the chunk's name, so that chunk is new.
        let layout: ContentReference.Layout = count == 1 ? .chunk : .manifest
        let digest = Self.digest(count == 1 ? number : number + 0xFF)
        let content = ContentReference(digest: digest, size: number, layout: layout)
        chunks[digest] = count == 1 ? [digest] : ids.filter { $0 != digest } + [digest]
        contents.append(content)
        return content
    }

    func content(of list: CollectionList) -> ContentReference {
        let bytes = list.encoded()
        let digest = Digest.of(bytes)
        lists[digest] = list
        chunks[digest] = [digest]
        return ContentReference(digest: digest, size: UInt64(bytes.count), layout: .chunk)
    }

    private static func digest(_ number: UInt64) -> Digest { Digest(words: (number, 0, 0, 0)) }

    func chunks(of contents: Set<ContentReference>) -> Set<ChunkID> {
        contents.reduce(into: []) { $0.formUnion(chunks[$1.digest] ?? []) }
    }

    // MARK: Requests

    func present(_ keys: [ChunkKey]) -> Set<ChunkKey> {
        Set(keys.filter { stored[$0.id]?.contains($0.epoch) ?? false })
    }

    func isReadable(_ id: ChunkID) -> Bool { stored[id]?.isEmpty == false }

    func isReadable(_ content: ContentReference) -> Bool { (chunks[content.digest] ?? []).allSatisfy(isReadable) }

    /// Returns stored keys in order, starting after `key`.
    func page(after key: ChunkKey?, limit: Int) -> [ChunkKey] {
        let keys = stored.lazy.flatMap { id, epochs in epochs.map { ChunkKey(id, epoch: $0) } }
        return Array(keys.filter { candidate in key.map { $0 < candidate } ?? true }.sorted().prefix(limit))
    }

    /// Returns whether a reply came. Without a reply the request may arrive much later, or have arrived.
    func send(_ request: Request, _ random: inout SeededGenerator) throws -> Bool {
        switch random.number(0..<100) {
        case 0..<8:
            note("  (delayed)")
            late.append(request)
            return false
        case 8..<11:
            note("  (the reply is lost)")
            try arrive(request)
            return false
        default:
            try arrive(request)
            return true
        }
    }

    /// Lets a delayed request arrive.
    func deliver(_ random: inout SeededGenerator) throws {
        guard !late.isEmpty else { return }
        let request = late.remove(at: random.number(0..<late.count))
        note("a delayed request arrives")
        try arrive(request)
    }

    private func arrive(_ request: Request) throws {
        switch request {
        case .put(let key):
            note("  put \(key.text)")
            stored[key.id, default: []].insert(key.epoch)
        case .remove(let key): remove(key)
        case .append(let batch): try append(batch)
        }
    }

    private func remove(_ key: ChunkKey) {
        note("  remove \(key.text)")
        guard stored[key.id]?.remove(key.epoch) != nil else { return }
        figures.removedKeys += 1
        guard stored[key.id]?.isEmpty == true else { return }
        stored[key.id] = nil
        guard chunks(of: needs).contains(key.id) else { return }
        fail("the last key \(key.text) of a needed chunk was removed")
    }

    private func append(_ batch: ChangeBatch) throws {
        log.append(batch)
        let result = try observer.fold(batch, at: now)
        note(
            "  entry \(log.count) of \(batch.text)\(result.isRefused ? ": refused" : result.isRepeat ? ": repeat" : "")"
        )
        if result.isRefused { figures.refusedBatches += 1 }
        guard !result.isRefused, !result.isRepeat else { return }
        figures.acceptedBatches += 1
        for content in needs where !isReadable(content) {
            fail("content \(content.digest.short) is needed from entry \(log.count) on, and cannot be read")
        }
    }

    // MARK: The end

    func deliverAll() throws {
        while !late.isEmpty { try arrive(late.removeFirst()) }
    }

    /// Returns the keys of unneeded chunks.
    func garbage() -> [ChunkKey] {
        let needed = chunks(of: needs)
        return page(after: nil, limit: .max).filter { !needed.contains($0.id) }
    }
}

extension Digest {
    var short: String { String(words.0, radix: 16) }
}

extension ChunkKey {
    var text: String { "\(id.short).\(epoch)" }
}

extension ChangeBatch {
    var text: String {
        let changes = changes.map { change in
            switch change {
            case .create(let id, _, _, _, let body): "create \(id.low) \(body.content?.reference?.digest.short ?? "")"
            case .edit(let id, _, let content, _): "edit \(id.low) \(content.reference?.digest.short ?? "")"
            case .delete(let id, _): "delete \(id.low)"
            case .collection(let step): "\(step.phase) \(step.epoch)"
            default: "resolve"
            }
        }
        return "\(deviceName) no. \(deviceSequence) collection \(collection): \(changes.joined(separator: ", "))"
    }
}
