import CloudModel
import LocalMetadata

/// The contents written, and those replaced or deleted by a user who saw them: recorded from the contents shown by
/// devices, without the engine.
struct Ledger {
    private(set) var written: Set<String> = []
    private(set) var superseded: Set<String> = []
    /// Contents without any guarantee: those written more than once, and parts of interrupted writes.
    private(set) var exempt: Set<String> = [""]
    /// Contents whose sync was acknowledged to a program.
    private(set) var synced: Set<String> = []

    /// The rows showing a content when it was replaced or deleted.
    private var former: [String: Set<ItemID>] = [:]

    /// Contents seen in packages.
    private var packaged: Set<String> = []
    /// Contents seen in each document and below each folder, on any device, and the items shown in a package by some
    /// device.
    private var below: [ItemID: Set<String>] = [:]
    private var packageItems: Set<ItemID> = []
    private var packages: [Int: Set<ItemID>] = [:]
    private var hasSetAside = false
    /// The ids of each device's files and conflict versions.
    private var names: [Int: [NodeID: ItemID]] = [:]

    /// Records a device's visible state.
    ///
    /// A package changed concurrently by two devices is kept as two complete packages: a content replaced or deleted in
    /// one of them stays in the other. A deleted package may come back as a whole. A device that does not know yet that
    /// a folder is now in a package replaces and deletes contents there that are in the package in the log, and
    /// possibly no device ever shows those in a package. A document that moved into a package later kept as a copy is
    /// as before the move in the log, although its content was replaced.
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
                // A file now at its former place has its identity. A device replacing that document's content has not
                // seen this content, which stays.
                if items.contains(old) { returning.insert(file.content) }
                // A document's row in a package kept as a copy has a new id, and had the document's contents before.
                below[file.item, default: []].formUnion(below[old, default: []])
            }
            names[device, default: [:]][file.node] = file.item
        }
    }

    /// The texts of files without a name, whose bytes a reset may find.
    var nameless: Set<String> = []

    mutating func write(_ content: String) {
        if !written.insert(content).inserted { exempt.insert(content) }
    }

    /// Records that a content was replaced or deleted by a user who saw it there. If the content was copied, only that
    /// copy is gone.
    mutating func supersede(_ content: String?, at place: Place? = nil) {
        guard let content else { return }
        if copies[content] == nil {
            superseded.insert(content)
            if let place { former[content, default: []].insert(place.row) }
        } else {
            end(content, at: place)
        }
    }

    /// Records that a different file with the same content took the content's place.
    mutating func leave(_ content: String?, at place: Place?) {
        if let content, copies[content] != nil { end(content, at: place) }
    }

    mutating func excuse(_ content: String?) {
        if let content { exempt.insert(content) }
    }

    /// Contents that may be shown again after their replacement or deletion, because an earlier state came back.
    private(set) var returning: Set<String> = []

    /// Allows these contents to be shown again although they were replaced or deleted, or will be.
    mutating func mayReturn(_ contents: Set<String>) { returning.formUnion(contents) }

    /// Allows a replaced or deleted content to stay.
    mutating func excuseIfGone(_ content: String?) {
        if let content, gone.contains(content) { exempt.insert(content) }
    }

    /// Restored contents possibly missing from the log, or deleted by a device that had not seen their restoration.
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

    /// The place where a device shows a content, and the mapping of ids to items as far as the device knows.
    struct Place {
        let item: ItemID
        /// The row's id; a conflict version's id differs from its document's.
        let row: ItemID
        let standing: (ItemID) -> ItemID
    }

    /// One of several documents with the same content. Its device may give it different ids before it is sent.
    struct Copy: Hashable {
        var ids: Set<ItemID>
        var isGone = false
    }

    /// Copied contents, with each document receiving them.
    private(set) var copies: [String: [Copy]] = [:]

    mutating func copy(_ content: String, from source: ItemID, to target: ItemID) {
        guard written.contains(content), !exempt.contains(content) else { return }
        // A device that replaced it elsewhere had not seen the copy.
        var known = copies[content] ?? [Copy(ids: [source], isGone: superseded.remove(content) != nil)]
        // A document regains its former bytes: the log sees no edit, so a device that replaced the former bytes
        // replaced these.
        if known.contains(where: { $0.ids.contains(target) }) { exempt.insert(content) }
        known.removeAll { $0.ids.contains(target) }
        copies[content] = known + [Copy(ids: [target])]
    }

    /// Records that a file took a different identity on its device, as when a new file is renamed over a document.
    mutating func rename(_ content: String, from old: ItemID, to new: ItemID) {
        guard let known = copies[content] else { return }
        for (index, copy) in known.enumerated() where copy.ids.contains(old) {
            copies[content]?[index].ids.insert(new)
            // It ended on another device, unseen by this one: the bytes rightly stay at the target of the move.
            if copy.isGone { exempt.insert(content) }
        }
    }

    private mutating func end(_ content: String, at place: Place?) {
        guard let known = copies[content] else { return }
        let item = place.map { $0.standing($0.item) }
        let meant = known.indices.filter { index in
            known[index].ids.contains { $0 == place?.item || place?.standing($0) == item }
        }
        // A conflict version's id was given to no copy: it may be any of them, and the remaining copies stay.
        if meant.isEmpty, place != nil, known.count > 1 { exempt.insert(content) }
        // Two devices gave the same document the same bytes, and this one may not have seen the concurrent change: the
        // log decides whether both end.
        let open = meant.filter { !known[$0].isGone }.map { known[$0].ids }
        if open.map(\.count).reduce(0, +) > Set(open.joined()).count { exempt.insert(content) }
        for index in meant.isEmpty || place == nil ? Array(known.indices) : meant {
            copies[content]?[index].isGone = true
        }
    }

    /// Contents replaced or deleted in every place.
    var gone: Set<String> {
        superseded.union(copies.filter { $0.value.allSatisfy(\.isGone) }.keys)
    }

    /// Contents replaced or deleted in some place.
    var goneSomewhere: Set<String> {
        superseded.union(copies.filter { $0.value.contains(where: \.isGone) }.keys)
    }

    /// Returns the contents of copies united in the log with a shared fate: a device editing or deleting one copy may
    /// not know of the rest, and their shared bytes are moved to the history (docs/LOG.md, "What this does not
    /// promise").
    func united(_ standing: (ItemID) -> ItemID) -> Set<String> {
        Set(
            copies.filter { _, known in
                let ended = Set(known.filter(\.isGone).flatMap(\.ids).map(standing))
                return known.allSatisfy { $0.isGone || !ended.isDisjoint(with: $0.ids.map(standing)) }
            }.keys)
    }

    /// Adopts the possible effects of an interrupted operation, as far as `visible` shows them. Returns the problems:
    /// after an atomic operation the old or the new content must be there, and synced contents must be there in any
    /// case.
    ///
    /// A device that `forgets` may show a state from before it saw the old content, whose presence or absence then
    /// proves nothing. Where the new content survived, the old content may be shown as well, as a conflict that the new
    /// content has yet to replace in the log. Likewise a content no longer shown in its former rows was replaced, even
    /// if different rows show it.
    ///
    /// - Parameters:
    ///   - visible: All contents shown by the device.
    ///   - rows: The content shown by each row.
    mutating func suppose(
        _ done: Ledger, visible: Set<String>, rows: [ItemID: String], isAtomic: Bool, forgets: Bool = false
    ) -> [String] {
        let (new, old) = (done.written.subtracting(written), done.superseded.subtracting(superseded))
        let before = (written: written, exempt: exempt)
        let safe = done.synced.subtracting(synced).subtracting(done.gone)
        written = done.written
        // Parts written by an interrupted program.
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
        // A local copy, replacement or deletion may have happened or not.
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

    /// Returns the problems if all devices show `visible`; `standing` maps an id to its item at the end.
    func problems(visible: Set<String>, standing: (ItemID) -> ItemID) -> [String] {
        let (gone, united) = (gone, united(standing))
        let lost = written.subtracting(gone).subtracting(visible).subtracting(exempt).subtracting(united)
            .subtracting(unconfirmed).sorted()
        let back = visible.intersection(gone).subtracting(exempt).subtracting(returning).sorted()
        return lost.map { "‘\($0)’ is lost" } + back.map { "‘\($0)’ came back" } + invented(in: visible)
    }

    /// Returns a problem for each content never written in full.
    func invented(in visible: Set<String>) -> [String] {
        visible.subtracting(written).subtracting(exempt).sorted().map { "‘\($0)’ is invented" }
    }
}
