import Basics
import CloudModel
import ContainerLog

/// Returns the invariants violated by a folded tree. The result is empty for a sound tree, whatever the log contained.
func problems(of tree: DictionaryTree) -> [String] {
    var found: [String] = []
    let reached = reachable(in: tree)
    for item in tree.allItems {
        if !item.isDeleted {
            if !reached.contains(item.id) { found.append("\(item.id) is live and cannot be reached") }
            let key = NameKey(item.name, folding: tree.state().foldsNames)
            if tree.child(of: item.parent, key: key) != item.id { found.append("\(item.id) shares its name") }
            if tree.alias(of: item.id) != nil { found.append("\(item.id) is live and an alias") }
        }
        found += conflictProblems(of: item)
    }
    for alias in tree.aliases.keys where aliasTarget(of: alias, in: tree) == nil {
        found.append("alias \(alias) leads nowhere")
    }
    if tree.item(.root)?.isDeleted != false || tree.item(.documents)?.isDeleted != false {
        found.append("a well-known folder is gone")
    }
    return found
}

private func reachable(in tree: DictionaryTree) -> Set<ItemID> {
    var reached: Set<ItemID> = [.root]
    var pending = [ItemID.root]
    while let folder = pending.popLast() {
        for child in tree.children(of: folder) where reached.insert(child).inserted { pending.append(child) }
    }
    return reached
}

private func conflictProblems(of item: CloudItem) -> [String] {
    let digests = item.conflicts.compactMap(\.content.reference?.digest)
    var found: [String] = []
    if digests.count < item.conflicts.count { found.append("\(item.id) has a conflict without bytes") }
    if Set(digests).count < digests.count { found.append("\(item.id) has equal conflicts") }
    if let digest = item.body.content?.reference?.digest, digests.contains(digest) {
        found.append("\(item.id) is in conflict with itself")
    }
    if item.conflicts.map(\.version) != item.conflicts.map(\.version).sorted() {
        found.append("\(item.id) has conflicts out of order")
    }
    if item.isDeleted, !item.conflicts.isEmpty { found.append("\(item.id) took conflicts with it") }
    if item.body.content == nil, !item.conflicts.isEmpty { found.append("\(item.id) is no file and has conflicts") }
    return found
}

private func aliasTarget(of id: ItemID, in tree: DictionaryTree) -> CloudItem? {
    var target = id
    for _ in 0...tree.aliases.count {
        guard let next = tree.alias(of: target) else { return tree.item(target) }
        target = next
    }
    return nil
}
