import CloudModel

/// Who wrote what, and what was replaced or deleted by somebody who saw it: kept from what devices showed, never asking the engine.
struct Ledger {
    private(set) var written: Set<String> = []
    private(set) var superseded: Set<String> = []
    /// Contents of which nothing can be said: written more than once, or half of a write that was cut off.
    private(set) var exempt: Set<String> = [""]
    /// What a program has synced, and was told that it is safe.
    private(set) var synced: Set<String> = []

    /// Contents seen in packages.
    private var packaged: Set<String> = []
    private var packages: [Int: Set<ItemID>] = [:]
    private var hasSetAside = false

    /// A package that two changed apart is kept as two wholes: what one of them replaced or deleted in it stays in the other. One that was
    /// deleted comes back as a whole.
    mutating func note(_ snapshot: Snapshot, on device: Int) {
        packaged.formUnion(snapshot.packaged)
        let isAnyGone = !packages[device, default: []].isSubset(of: snapshot.packages.keys)
        packages[device] = Set(snapshot.packages.keys)
        hasSetAside = hasSetAside || snapshot.hasSetAside || isAnyGone
        if hasSetAside { exempt.formUnion(packaged) }
    }

    mutating func write(_ content: String) {
        if !written.insert(content).inserted { exempt.insert(content) }
    }

    mutating func supersede(_ content: String?) {
        if let content { superseded.insert(content) }
    }

    mutating func excuse(_ content: String?) {
        if let content { exempt.insert(content) }
    }

    mutating func sync(_ content: String) { synced.insert(content) }

    /// Takes over what may have been done when something failed in the middle, as far as `visible` shows that it was. Answers what is
    /// wrong: where it was one atomic step, the old or the new has to be there, and what was synced has to be there in any case.
    ///
    /// A device that `forgets` may show what was before it ever saw the old: that one tells nothing then, gone or not. Where the new
    /// outlived it, the old may be shown as well, as a conflict that the new has yet to take the place of in the log.
    mutating func suppose(_ done: Ledger, visible: Set<String>, isAtomic: Bool, forgets: Bool = false) -> [String] {
        let (new, old) = (done.written.subtracting(written), done.superseded.subtracting(superseded))
        let before = (written: written, exempt: exempt)
        let safe = done.synced.subtracting(synced).subtracting(done.superseded)
        written = done.written
        // Bytes that a program had written when it was cut off.
        let halves = visible.subtracting(written).filter { half in
            new.union(done.exempt).contains { $0.hasPrefix(half) }
        }
        exempt = done.exempt.union(new.subtracting(visible)).union(halves)
        if forgets {
            exempt.formUnion(new.isDisjoint(with: visible) ? old.subtracting(visible) : old)
        } else {
            superseded.formUnion(old.subtracting(visible))
        }
        synced = done.synced
        var found = safe.subtracting(visible).subtracting(before.exempt).sorted().map {
            "‘\($0)’ was synced, and is gone"
        }
        if isAtomic, !new.isEmpty, !old.isEmpty, old.union(new).isDisjoint(with: visible.union(before.exempt)) {
            found.append("neither \(old.sorted()) nor \(new.sorted()) is there after it was cut off")
        }
        return found
    }

    /// What is wrong where everybody shows `visible`.
    func problems(visible: Set<String>) -> [String] {
        let lost = written.subtracting(superseded).subtracting(visible).subtracting(exempt).sorted()
        let back = visible.intersection(superseded).subtracting(exempt).sorted()
        return lost.map { "‘\($0)’ is lost" } + back.map { "‘\($0)’ came back" } + invented(in: visible)
    }

    /// What nobody ever wrote in full.
    func invented(in visible: Set<String>) -> [String] {
        visible.subtracting(written).subtracting(exempt).sorted().map { "‘\($0)’ is invented" }
    }
}
