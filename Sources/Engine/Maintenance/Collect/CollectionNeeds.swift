import CloudModel
import ContainerLog
import LocalMetadata

/// The contents needed by a container, from a single snapshot of a device's database.
struct CollectionNeeds: Sendable {
    /// Chunks that are entire contents.
    private(set) var chunks = NeededChunkSet()
    /// Needed contents of several chunks: their manifests have to be readable.
    private(set) var manifests: Set<ContentReference> = []
    /// The same for versions in the history. A device that has read an old log again lists more of them than the cloud
    /// has.
    private(set) var historic: Set<ContentReference> = []

    /// Reads all needed contents: current, in conflict, in the history (including restorable deleted items), being sent
    /// by this device, and the lists of collections.
    init(of container: ContainerID, _ transaction: MetadataTransaction) throws {
        try addItems(transaction.remote(in: container))
        try transaction.history.forEachContent(in: container) { addHistoric($0) }
        for item in try transaction.pending.uploadedFiles(in: container) {
            if let content = item.content { add(content) }
        }
        if let batch = try transaction.pending.batch(of: container) {
            for content in try ChangeBatch(decoding: batch.payload).contents { add(content) }
        }
        for collection in try transaction.collections.all(in: container) { add(collection.list) }
        historic.subtract(manifests)
    }

    private mutating func addItems(_ tree: RemoteTree) throws {
        var last: ItemID?
        while true {
            let page = try tree.items(after: last, limit: 256)
            guard let end = page.last else { return }
            last = end.id
            for item in page { for content in item.neededContents { add(content) } }
        }
    }

    private mutating func add(_ content: ContentReference) {
        switch content.layout {
        case .empty: break
        case .chunk: chunks.insert(content.digest)
        case .manifest: manifests.insert(content)
        }
    }

    private mutating func addHistoric(_ content: ContentReference) {
        if content.layout == .manifest { historic.insert(content) } else { add(content) }
    }
}
