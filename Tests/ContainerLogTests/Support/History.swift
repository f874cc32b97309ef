import Basics
import CloudModel
import ContainerLog
import TestSupport

/// Some devices on one container. The seed determines every step.
struct History {
    private(set) var log: [ChangeBatch] = []
    private(set) var ledger = ChangeLedger()
    private(set) var story: [String] = []
    private var devices: [SimulatedDevice] = []
    private var random: SeededGenerator
    private var minute: Int64 = 0
    private var lastContent: UInt64 = 100
    private var lastItem: UInt64 = 0
    /// Whether files are announced before their content exists, and whether devices occasionally write equal bytes.
    private let announces: Bool
    private let repeatsContent: Bool

    init(seed: UInt64, steps: Int = 40) throws {
        random = SeededGenerator(seed: seed)
        announces = random.chance(30)
        repeatsContent = random.chance(20)
        for number in UInt64(1)...3 {
            devices.append(try SimulatedDevice(number: number, skew: Int64(random.number(-50..<50))))
        }
        for _ in 0..<steps { try step() }
        for index in devices.indices { append(from: index) }
    }

    /// Folds the whole log. With `repeating`, known entries, or voids in their places, are inserted again.
    func folded(repeating seed: UInt64? = nil, asVoids: Bool = false) throws -> DictionaryTree {
        var tree = DictionaryTree()
        try ContainerReducer.initialise(&tree, foldsNames: false)
        var again = SeededGenerator(seed: seed ?? 0)
        for position in log.indices {
            _ = try ContainerReducer().fold(log[position], at: tree.state().sequence.next, into: &tree)
            guard seed != nil, again.chance(40) else { continue }
            let old = log[again.number(0..<position + 1)]
            if asVoids {
                try ContainerReducer().foldVoid(at: tree.state().sequence.next, into: &tree)
            } else {
                _ = try ContainerReducer().fold(old, at: tree.state().sequence.next, into: &tree)
            }
        }
        return tree
    }

    private mutating func step() throws {
        minute += 1
        let index = random.number(0..<devices.count)
        switch random.number(0..<100) {
        case 0..<15: append(from: index)
        case 15..<40:
            let position = Int(devices[index].seen.state().sequence.value)
            let target = random.number(position..<log.count + 1)
            try devices[index].read(log, upTo: target, at: time(index))
            story.append("device \(index + 1) reads up to \(target)")
        default: try work(index)
        }
    }

    private mutating func append(from index: Int) {
        guard let batch = devices[index].takeBatch(at: time(index)) else { return }
        log.append(batch)
        story.append("device \(index + 1) appends entry \(log.count)")
    }

    private func time(_ index: Int) -> Timestamp { .minute(1000 + minute + devices[index].skew) }

    // MARK: Actions of users

    private mutating func work(_ index: Int) throws {
        switch random.number(0..<100) {
        case 0..<22: try create(index)
        case 22..<32: try createFolder(index)
        case 32..<60: try edit(index)
        case 60..<74: try move(index)
        case 74..<84: try deleteFile(index)
        case 84..<89: try deleteFolder(index)
        case 89..<95: try resolve(index)
        default: try restore(index)
        }
    }

    private mutating func perform(_ index: Int, _ change: Change) throws {
        story.append("device \(index + 1): \(change)")
        try devices[index].perform(change, at: time(index))
    }

    private mutating func create(_ index: Int) throws {
        guard let (parent, name) = freePlace(index) else { return }
        let attributes = ItemAttributes.sample(modified: time(index))
        if announces, random.chance(60) {
            try perform(
                index,
                .create(newID(), parent: parent, name: name, attributes: attributes, body: .file(.announced(size: 1))))
            return
        }
        let content = newContent()
        ledger.write(content)
        try perform(
            index, .create(newID(), parent: parent, name: name, attributes: attributes, body: .sample(content)))
    }

    private mutating func createFolder(_ index: Int) throws {
        guard let (parent, name) = freePlace(index) else { return }
        try perform(
            index, .create(newID(), parent: parent, name: name, attributes: .sample(), body: .folder))
    }

    private mutating func edit(_ index: Int) throws {
        guard let file = anyItem(index, where: { $0.body.kind == .file }) else { return }
        let base = file.body.content?.reference
        let content = newContent()
        if let base, content == base.size { return }
        if let base { ledger.supersede(base.size) }
        ledger.write(content)
        try perform(
            index, .edit(file.id, base: base?.digest, content: .sample(content), modified: time(index)))
    }

    private mutating func move(_ index: Int) throws {
        guard let item = anyItem(index, where: { _ in true }), let (parent, name) = freePlace(index) else { return }
        try perform(index, .move(item.id, parent: parent, name: name))
    }

    private mutating func deleteFile(_ index: Int) throws {
        guard let file = anyItem(index, where: { $0.body.kind == .file }) else { return }
        try delete(index, file)
    }

    private mutating func delete(_ index: Int, _ file: CloudItem) throws {
        let base = file.body.content?.reference
        if let base { ledger.supersede(base.size) }
        try perform(index, .delete(file.id, base: base?.digest))
    }

    /// Deletes a folder as `rm -r` does, its contents first. An item without an id in the log stays, as does the
    /// folder.
    private mutating func deleteFolder(_ index: Int) throws {
        guard let top = anyItem(index, where: { $0.body == .folder }) else { return }
        for item in descendants(of: top, index).reversed() {
            if item.body.kind == .file {
                try delete(index, item)
            } else if !devices[index].view.hasChildren(item.id) {
                try perform(index, .delete(item.id, base: nil))
            }
        }
    }

    /// Discards a conflict version with a number in the log.
    private mutating func resolve(_ index: Int) throws {
        guard let (file, conflict) = anyConflict(index) else { return }
        ledger.supersede(conflict.content.size)
        try perform(index, .resolve(file.id, versions: [conflict.version]))
    }

    /// Makes a conflict version current by writing its bytes again.
    private mutating func restore(_ index: Int) throws {
        guard let (file, conflict) = anyConflict(index), let base = file.body.content?.reference else { return }
        ledger.supersede(base.size)
        ledger.write(conflict.content.size)
        try perform(
            index, .edit(file.id, base: base.digest, content: conflict.content, modified: time(index)))
        try perform(index, .resolve(file.id, versions: [conflict.version]))
    }

    // MARK: Items and contents

    private mutating func newID() -> ItemID {
        lastItem += 1
        return .sample(lastItem)
    }

    private mutating func newContent() -> UInt64 {
        if repeatsContent, random.chance(40) { return UInt64(random.number(10..<13)) }
        lastContent += 1
        return lastContent
    }

    private func descendants(of top: CloudItem, _ index: Int) -> [CloudItem] {
        var found = [top]
        var next = 0
        while next < found.count {
            for id in devices[index].view.children(of: found[next].id) where canName(id, index) {
                if let item = devices[index].view.item(id) { found.append(item) }
            }
            next += 1
        }
        return found
    }

    /// Returns a random live item of the view, except items created by the view alone: their ids depend on an
    /// unassigned place in the log.
    private mutating func anyItem(_ index: Int, where isWanted: (CloudItem) -> Bool) -> CloudItem? {
        let view = devices[index].view
        let candidates = view.allItems.filter {
            !$0.isDeleted && !$0.id.isWellKnown && canName($0.id, index) && isWanted($0)
        }
        return candidates.sorted { $0.id < $1.id }.randomElement(using: &random)
    }

    /// Returns whether the id means the same in log and view. It does not if only the view created or merged the item.
    private func canName(_ id: ItemID, _ index: Int) -> Bool {
        let (seen, view) = (devices[index].seen, devices[index].view)
        guard id.high == 1 << 63 || seen.item(id) != nil else { return false }
        return view.aliases.allSatisfy { $0.value != id || seen.aliases[$0.key] == id }
    }

    private mutating func anyConflict(_ index: Int) -> (CloudItem, ConflictVersion)? {
        let seen = devices[index].seen
        guard let file = anyItem(index, where: { !$0.conflicts.isEmpty }) else { return nil }
        let known = seen.item(file.id)?.conflicts ?? []
        return file.conflicts.first { known.contains($0) }.map { (file, $0) }
    }

    private mutating func freePlace(_ index: Int) -> (ItemID, ItemName)? {
        let view = devices[index].view
        let folders = view.allItems.filter { !$0.isDeleted && $0.body == .folder && canName($0.id, index) }
        guard let folder = folders.sorted(by: { $0.id < $1.id }).randomElement(using: &random) else { return nil }
        let names: [ItemName] = ["a.txt", "b.txt", "c"]
        let name = names[random.number(0..<names.count)]
        guard view.child(of: folder.id, key: NameKey(name, folding: false)) == nil else { return nil }
        return (folder.id, name)
    }
}
