import CloudModel
import ContainerLog

/// Records who wrote which content, and who replaced or deleted it after having seen it. The ledger is kept beside the
/// log, from the devices' views, and never queries the reducer. Contents are identified by number.
struct ChangeLedger {
    private(set) var written: Set<UInt64> = []
    private(set) var superseded: Set<UInt64> = []
    /// Contents with bytes written more than once. Their writes cannot be distinguished, so seeing such bytes again
    /// proves nothing.
    private(set) var repeated: Set<UInt64> = []

    mutating func write(_ content: UInt64) {
        if !written.insert(content).inserted { repeated.insert(content) }
    }

    mutating func supersede(_ content: UInt64) { superseded.insert(content) }

    /// Returns the problems of a tree after folding the whole log.
    func problems(of tree: DictionaryTree) -> [String] {
        var visible: Set<UInt64> = []
        for item in tree.allItems where !item.isDeleted {
            visible.formUnion(item.conflicts.map(\.content.size))
            if case .file(.stored(let reference)) = item.body { visible.insert(reference.size) }
        }
        let lost = written.subtracting(superseded).subtracting(visible).sorted().map { "content \($0) is lost" }
        let back = visible.intersection(superseded).subtracting(repeated).sorted().map { "content \($0) came back" }
        return lost + back + visible.subtracting(written).sorted().map { "content \($0) is invented" }
    }
}
