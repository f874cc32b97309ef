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

    /// What is wrong where everybody shows `visible`.
    func problems(visible: Set<String>) -> [String] {
        let lost = written.subtracting(superseded).subtracting(visible).subtracting(exempt).sorted()
        let back = visible.intersection(superseded).subtracting(exempt).sorted()
        let invented = visible.subtracting(written).subtracting(exempt).sorted()
        return lost.map { "‘\($0)’ is lost" } + back.map { "‘\($0)’ came back" }
            + invented.map { "‘\($0)’ is invented" }
    }
}
