import CloudModel
import ContainerLog

/// Who wrote what and who, having seen it, replaced or deleted it: kept beside the log, from what devices saw, never
/// asking the reducer. Contents are known by number.
struct ChangeLedger {
    private(set) var written: Set<UInt64> = []
    private(set) var superseded: Set<UInt64> = []
    /// Bytes written more than once. Their writes can not be distinguished, so whether one of them is seen again says
    /// nothing.
    private(set) var repeated: Set<UInt64> = []

    mutating func write(_ content: UInt64) {
        if !written.insert(content).inserted { repeated.insert(content) }
    }

    mutating func supersede(_ content: UInt64) { superseded.insert(content) }

    /// What is wrong with a tree that has folded everything.
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
