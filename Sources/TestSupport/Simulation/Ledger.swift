/// Who wrote what, and what was replaced or deleted by somebody who saw it: kept from what devices showed, never asking the engine.
struct Ledger {
    private(set) var written: Set<String> = []
    private(set) var superseded: Set<String> = []
    /// Contents of which nothing can be said: written more than once, or half of a write that a crash cut off.
    private(set) var exempt: Set<String> = [""]

    mutating func write(_ content: String) {
        if !written.insert(content).inserted { exempt.insert(content) }
    }

    mutating func supersede(_ content: String?) {
        if let content { superseded.insert(content) }
    }

    mutating func excuse(_ content: String?) {
        if let content { exempt.insert(content) }
    }

    /// Takes over what was done when the device died, as far as `visible` shows that it happened. Where it was one atomic step,
    /// the old or the new has to be there.
    mutating func suppose(_ done: Ledger, visible: Set<String>, isAtomic: Bool) -> [String] {
        let (new, old) = (done.written.subtracting(written), done.superseded.subtracting(superseded))
        written = done.written
        exempt = done.exempt.union(new.subtracting(visible))
        superseded = superseded.union(old.subtracting(visible))
        guard isAtomic, !new.isEmpty, !old.isEmpty,
            old.union(new).isDisjoint(with: visible.union(exempt.subtracting(new)))
        else { return [] }
        return ["neither \(old) nor \(new) is there after the crash"]
    }

    /// What is wrong where everybody shows `visible`.
    func problems(visible: Set<String>) -> [String] {
        let lost = written.subtracting(superseded).subtracting(visible).subtracting(exempt).sorted()
        let back = visible.intersection(superseded).subtracting(exempt).sorted()
        let invented = visible.subtracting(written).subtracting(exempt).sorted()
        return lost.map { "‘\($0)’ is lost" } + back.map { "‘\($0)’ came back" }
            + invented.map { "‘\($0)’ is invented" }
    }
}
