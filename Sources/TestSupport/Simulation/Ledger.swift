import CloudModel
import LocalMetadata

/// The contents that were written, and those that were replaced or deleted by a user who saw them: recorded from what devices showed,
/// without the engine.
struct Ledger {
    private(set) var written: Set<String> = []
    private(set) var superseded: Set<String> = []
    /// Contents about which nothing can be claimed: those written more than once, and parts of interrupted writes.
    private(set) var exempt: Set<String> = [""]
    /// Contents whose sync was acknowledged to a program.
    private(set) var synced: Set<String> = []

    /// The rows in which a content was shown when it was replaced or deleted.
    private var former: [String: Set<ItemID>] = [:]

    /// Contents seen in packages.
    private var packaged: Set<String> = []
    /// Contents seen in each document and below each folder, on any device, and the items that some device showed in a package.
    private var below: [ItemID: Set<String>] = [:]
    private var packageItems: Set<ItemID> = []
    private var packages: [Int: Set<ItemID>] = [:]
    private var hasSetAside = false
    /// The ids of each device's files and conflict versions.
    private var names: [Int: [NodeID: ItemID]] = [:]

    /// Records what a device shows.
    ///
    /// A package that two devices changed concurrently is kept as two complete packages: a content that one of them replaced or deleted
    /// stays in the other. A deleted package may come back as a whole. A device that does not know yet that a folder is now in a package
    /// replaces and deletes contents there that the log has in the package, and possibly no device ever shows those in one. A document that
    /// moved into a package which is then kept as a copy is as before the move in the log, although its content was replaced.
    mutating func note(_ snapshot: Snapshot, on device: Int) {
        packaged.formUnion(snapshot.packaged)
        packageItems.formUnion(snapshot.packageItems)
        below.merge(snapshot.below) { $0.union($1) }
        noteNames(snapshot, on: device)
        let isAnyGone = !packages[device, default: []].isSubset(of: snapshot.packages.keys)
        packages[device] = Set(snapshot.packages.keys)
        hasSetAside = hasSetAside || snapshot.hasSetAside || isAnyGone
        guard hasSetAside else { return }
        exempt.formUnion(packaged)
        for item in packageItems { exempt.formUnion(below[item, default: []]) }
    }

    private mutating func noteNames(_ snapshot: Snapshot, on device: Int) {
        let items = Set(snapshot.files.map(\.item))
        for file in snapshot.files {
            if let old = names[device]?[file.node], old != file.item {
                rename(file.content, from: old, to: file.item)
                // A file that took its former place has its identity now. A device that replaces the content of that document has not seen
                // this one, which stays.
                if items.contains(old) { returning.insert(file.content) }
                // The row of a document in a package that is kept as a copy has a new id, and had the document's contents before.
                below[file.item, default: []].formUnion(below[old, default: []])
            }
            names[device, default: [:]][file.node] = file.item
        }
    }

    /// The texts of files that had no name any more, whose bytes a reset may find.
    var nameless: Set<String> = []

    mutating func write(_ content: String) {
        if !written.insert(content).inserted { exempt.insert(content) }
    }

    /// Records that a content was replaced or deleted by a user who saw it there. If the content was copied, only that copy is gone.
    mutating func supersede(_ content: String?, at place: Place? = nil) {
        guard let content else { return }
        if copies[content] == nil {
            superseded.insert(content)
            if let place { former[content, default: []].insert(place.row) }
        } else {
            end(content, at: place)
        }
    }

    /// Records that another file with the same content took the content's place.
    mutating func leave(_ content: String?, at place: Place?) {
        if let content, copies[content] != nil { end(content, at: place) }
    }

    mutating func excuse(_ content: String?) {
        if let content { exempt.insert(content) }
    }

    /// Contents that may be shown again after they were replaced or deleted, because a state from before that came back.
    private(set) var returning: Set<String> = []

    /// Allows these contents to be shown again although they were replaced or deleted, or will be.
    mutating func mayReturn(_ contents: Set<String>) { returning.formUnion(contents) }

    /// Allows a content to stay that was replaced or deleted.
    mutating func excuseIfGone(_ content: String?) {
        if let content, gone.contains(content) { exempt.insert(content) }
    }

    /// Restored contents that the log may not have, or that another device deletes without having seen that they were restored.
    private(set) var unconfirmed: Set<String> = []
    private var restored: Set<String> = []

    /// Records that a user restored a deleted content.
    mutating func restore(_ content: String, isInLog: Bool) {
        guard isInLog, copies[content] == nil else { return excuse(content) }
        superseded.remove(content)
        returning.insert(content)
        unconfirmed.insert(content)
    }

    mutating func confirmRestores(_ logged: Set<String>) {
        restored.formUnion(unconfirmed.intersection(logged))
        unconfirmed.subtract(logged)
    }

    mutating func excuseRestored() { exempt.formUnion(restored) }

    mutating func sync(_ content: String) { synced.insert(content) }

    // MARK: Copies

    /// The place where a device shows a content, and which id stands for which item as far as the device knows.
    struct Place {
        let item: ItemID
        /// The id of the row, which for a conflict version is not that of its document.
        let row: ItemID
        let standing: (ItemID) -> ItemID
    }

    /// One of several documents with the same content. Its device may give it other ids before it is sent.
    struct Copy: Hashable {
        var ids: Set<ItemID>
        var isGone = false
    }

    /// Contents that were copied, with each document that was given them.
    private(set) var copies: [String: [Copy]] = [:]

    mutating func copy(_ content: String, from source: ItemID, to target: ItemID) {
        guard written.contains(content), !exempt.contains(content) else { return }
        // A device that replaced it elsewhere had not seen the copy.
        var known = copies[content] ?? [Copy(ids: [source], isGone: superseded.remove(content) != nil)]
        // A document that had these bytes before has them again: the log sees no edit, so a device that replaced the former bytes replaced
        // these.
        if known.contains(where: { $0.ids.contains(target) }) { exempt.insert(content) }
        known.removeAll { $0.ids.contains(target) }
        copies[content] = known + [Copy(ids: [target])]
    }

    /// Records that a file took another identity on its device, as when a new file is renamed over a document.
    mutating func rename(_ content: String, from old: ItemID, to new: ItemID) {
        guard let known = copies[content] else { return }
        for (index, copy) in known.enumerated() where copy.ids.contains(old) {
            copies[content]?[index].ids.insert(new)
            // It ended on another device, which this one had not seen: the bytes rightly stay where they were moved to.
            if copy.isGone { exempt.insert(content) }
        }
    }

    private mutating func end(_ content: String, at place: Place?) {
        guard let known = copies[content] else { return }
        let item = place.map { $0.standing($0.item) }
        let meant = known.indices.filter { index in
            known[index].ids.contains { $0 == place?.item || place?.standing($0) == item }
        }
        // A conflict version has an id that no copy was given: it may be any of them, and the other copies stay.
        if meant.isEmpty, place != nil, known.count > 1 { exempt.insert(content) }
        // Two devices gave one document the same bytes, and this one may not have seen the other's: the log decides whether both end.
        let open = meant.filter { !known[$0].isGone }.map { known[$0].ids }
        if open.map(\.count).reduce(0, +) > Set(open.joined()).count { exempt.insert(content) }
        for index in meant.isEmpty || place == nil ? Array(known.indices) : meant {
            copies[content]?[index].isGone = true
        }
    }

    /// Contents that were replaced or deleted in every place.
    var gone: Set<String> {
        superseded.union(copies.filter { $0.value.allSatisfy(\.isGone) }.keys)
    }

    /// Returns the contents of copies that became one document in the log and share its fate: a device that edits or deletes one of them
    /// may not know of the others, and the bytes that they shared are moved to the history (docs/LOG.md, "What this does not promise").
    func united(_ standing: (ItemID) -> ItemID) -> Set<String> {
        Set(
            copies.filter { _, known in
                let ended = Set(known.filter(\.isGone).flatMap(\.ids).map(standing))
                return known.allSatisfy { $0.isGone || !ended.isDisjoint(with: $0.ids.map(standing)) }
            }.keys)
    }

    /// Adopts what an interrupted operation may have done, as far as `visible` shows that it did. Returns the problems: after an atomic
    /// operation the old or the new content must be there, and synced contents must be there in any case.
    ///
    /// A device that `forgets` may show a state from before it saw the old content, whose presence or absence then proves nothing. Where
    /// the new content survived, the old one may be shown as well, as a conflict that the new one has yet to replace in the log. Likewise
    /// a content that is shown in other rows only, but not where it was replaced, was replaced.
    ///
    /// - Parameters:
    ///   - visible: All contents that the device shows.
    ///   - rows: The content that each row shows.
    mutating func suppose(
        _ done: Ledger, visible: Set<String>, rows: [ItemID: String], isAtomic: Bool, forgets: Bool = false
    ) -> [String] {
        let (new, old) = (done.written.subtracting(written), done.superseded.subtracting(superseded))
        let before = (written: written, exempt: exempt)
        let safe = done.synced.subtracting(synced).subtracting(done.gone)
        written = done.written
        // Parts that a program had written when it was interrupted.
        let halves = visible.subtracting(written).filter { half in
            new.union(done.exempt).contains { $0.hasPrefix(half) }
        }
        exempt = done.exempt.union(new.subtracting(visible)).union(halves)
        let replaced = old.filter { content in
            !visible.contains(content) || done.former[content].map { !$0.contains { rows[$0] == content } } ?? false
        }
        if forgets {
            exempt.formUnion(new.isDisjoint(with: visible) ? replaced : old)
        } else {
            superseded.formUnion(replaced)
            if !new.isDisjoint(with: visible) { exempt.formUnion(old) }
        }
        (synced, former) = (done.synced, done.former)
        // A copy, replacement or deletion made here may have happened or not.
        for content in Set(done.copies.keys).union(copies.keys) where done.copies[content] != copies[content] {
            exempt.insert(content)
        }
        copies = done.copies
        var found = safe.subtracting(visible).subtracting(before.exempt).sorted().map {
            "‘\($0)’ was synced, and is gone"
        }
        if isAtomic, !new.isEmpty, !old.isEmpty, old.union(new).isDisjoint(with: visible.union(before.exempt)) {
            found.append("neither \(old.sorted()) nor \(new.sorted()) is there after the interruption")
        }
        return found
    }

    /// Returns the problems if all devices show `visible`; `standing` maps an id to the item that the id stands for at the end.
    func problems(visible: Set<String>, standing: (ItemID) -> ItemID) -> [String] {
        let (gone, united) = (gone, united(standing))
        let lost = written.subtracting(gone).subtracting(visible).subtracting(exempt).subtracting(united)
            .subtracting(unconfirmed).sorted()
        let back = visible.intersection(gone).subtracting(exempt).subtracting(returning).sorted()
        return lost.map { "‘\($0)’ is lost" } + back.map { "‘\($0)’ came back" } + invented(in: visible)
    }

    /// Returns a problem for each content that was never written in full.
    func invented(in visible: Set<String>) -> [String] {
        visible.subtracting(written).subtracting(exempt).sorted().map { "‘\($0)’ is invented" }
    }
}
