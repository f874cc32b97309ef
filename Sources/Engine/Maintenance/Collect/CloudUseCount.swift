import Chunking
package import CloudModel
package import CloudStorage
import ContainerLog
package import LocalMetadata
package import Sync

/// Counts the space used in a cloud with device-run garbage collection: lists a container's chunks, and compares them
/// with those named by the folded log.
package struct CloudUseCount: Sendable {
    private enum Reason { case document, version, deleted, list }

    private let context: EngineContext
    private let cloud: any ChunkCollecting
    private let container: LocalContainer
    private static let page = 1_000

    package init(_ context: EngineContext, _ cloud: any ChunkCollecting, _ container: LocalContainer) {
        self.context = context
        self.cloud = cloud
        self.container = container
    }

    /// - Throws: ``CollectionError``, errors of the cloud and the database, and `CancellationError`.
    package func use() async throws -> CloudUse {
        let (reasons, shared) = try await named()
        var use = CloudUse()
        use.log = try await logBytes()
        var last: ChunkKey?
        while true {
            try Task.checkCancellation()
            let page = try await cloud.storedChunks(in: container.name, after: last, limit: Self.page)
            // A listing that does not advance would never end.
            guard let end = page.last?.key, last.map({ end > $0 }) ?? true else { return use }
            for chunk in page {
                switch reasons[chunk.key.id] {
                case .document?:
                    use.documents += chunk.bytes
                    if shared.contains(chunk.key.id) { use.shared += chunk.bytes }
                case .version?: use.versions += chunk.bytes
                case .deleted?: use.deleted += chunk.bytes
                case .list?: use.log += chunk.bytes
                case nil: use.unnamed += chunk.bytes
                }
            }
            last = end
        }
    }

    private func logBytes() async throws -> UInt64 {
        var (position, bytes) = (LogPosition.start, UInt64(0))
        while true {
            let page = try await cloud.entries(in: container.name, after: position, limit: Self.page)
            guard let end = page.last?.position else { return bytes }
            bytes = page.reduce(bytes) { $0 + UInt64($1.payload.count) }
            position = end
        }
    }

    /// Returns the first reason for each named chunk, and the chunks shared by several documents.
    private func named() async throws -> (reasons: [ChunkID: Reason], shared: Set<ChunkID>) {
        let contents = try await contents()
        let reader = ManifestReader(context: context, container: container.name)
        var (reasons, shared): ([ChunkID: Reason], Set<ChunkID>) = ([:], [])
        for (reason, counts) in contents {
            for (content, count) in counts {
                try Task.checkCancellation()
                let manifest = try await reader.manifest(of: content, mayBeAbsent: reason != .document)
                for id in Set(manifest?.chunks.map(\.id) ?? []).union([content.digest]) {
                    let known = reasons[id]
                    if known == nil { reasons[id] = reason }
                    if reason == .document, known != nil || count > 1 { shared.insert(id) }
                }
            }
        }
        return (reasons, shared)
    }

    /// Returns the contents named by the folded log, each with its number of items, by descending precedence of their
    /// reasons.
    private func contents() async throws -> [(Reason, [ContentReference: Int])] {
        let (context, id) = (context, container.id)
        return try await context.blocking {
            try context.metadata.read { transaction in
                var counts: [Reason: [ContentReference: Int]] = [:]
                func add(_ content: ContentReference, _ reason: Reason) {
                    if content.layout != .empty { counts[reason, default: [:]][content, default: 0] += 1 }
                }
                let tree = transaction.remote(in: id)
                var last: ItemID?
                while let page = try Optional(tree.items(after: last, limit: 256)), let end = page.last {
                    last = end.id
                    for item in page where !item.isDeleted {
                        if let content = item.body.content?.reference { add(content, .document) }
                        for conflict in item.conflicts {
                            if let content = conflict.content.reference { add(content, .version) }
                        }
                    }
                }
                try transaction.history.forEachVersion(in: id) { add($0, $1 ? .deleted : .version) }
                for collection in try transaction.collections.all(in: id) { add(collection.list, .list) }
                return [.document, .version, .deleted, .list].map { ($0, counts[$0] ?? [:]) }
            }
        }
    }
}
