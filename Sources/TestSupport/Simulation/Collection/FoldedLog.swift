import Basics
import CloudModel
import CloudStorage
import ContainerLog
import LocalMetadata
import TestSupport

/// A device's fold of the log, with its history: the real reducer over a tree in memory.
struct FoldedLog {
    private(set) var tree = DictionaryTree()
    private(set) var count = 0
    /// When the device noticed that a content was superseded.
    private var superseded: [ContentReference: Timestamp] = [:]
    let mistake: CollectionMistake?

    init(mistake: CollectionMistake?) { self.mistake = mistake }

    mutating func fold(_ entry: ChangeBatch, at now: Timestamp) throws -> FoldResult {
        var batch = entry
        if mistake == .begunDoesNotRefuse { batch.collection = .max }
        let targets = batch.changes.compactMap(\.target)
        let before = contents(of: targets)
        count += 1
        let result = try ContainerReducer().fold(batch, at: LogSequence(UInt64(count)), into: &tree)
        for content in before.subtracting(contents(of: targets)) { superseded[content] = now }
        return result
    }

    private func contents(of items: [ItemID]) -> Set<ContentReference> {
        items.reduce(into: []) { $0.formUnion(tree.item($1)?.neededContents ?? []) }
    }

    /// The existing documents, in the order of their ids.
    var documents: [CloudItem] {
        tree.allItems.filter { !$0.isDeleted && $0.body.content != nil }.sorted { $0.id < $1.id }
    }

    /// Returns the contents that are current, in conflict, in the history, or lists of collections.
    ///
    /// - Parameter kept: How long the history has a version.
    func needs(
        at now: Timestamp, kept: Duration = VersionLimits.keptAge
    ) -> Set<ContentReference> {
        var needs: Set<ContentReference> = []
        for item in tree.allItems { needs.formUnion(item.neededContents) }
        let oldest = now.adding(.zero - kept)
        for (content, time) in superseded where time >= oldest { needs.insert(content) }
        for collection in tree.collections.values { needs.insert(collection.list) }
        return needs
    }
}

extension Change {
    /// The document whose contents the change replaces or drops.
    fileprivate var target: ItemID? {
        switch self {
        case .create(let id, _, _, _, _), .edit(let id, _, _, _), .delete(let id, _), .resolve(let id, _): id
        case .move, .setAttributes, .setValue, .collection, .raiseRules: nil
        }
    }
}
