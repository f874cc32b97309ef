import LocalMetadata

/// What a batch being built knows of packages: each is looked at once.
struct PackageMemory {
    enum State {
        /// Not all of it can be sent now, so nothing of it is.
        case waiting
        case complete
        /// It has more changes than fit into one entry: it goes piece by piece.
        case loose
    }

    /// Changes of one package that go into one entry, which has at most 10,000; an item may take several.
    static let limit = 3_000

    var states: [NodeID: State] = [:]
    /// A package waits for the next batch only because this one is long.
    var isCutShort = false
    private var known: [NodeID: NodeID?] = [:]

    /// The outermost package that an item is or lies in.
    mutating func package(around item: LocalItem, _ transaction: MetadataTransaction) throws -> NodeID? {
        let above: NodeID?
        if let known = known[item.parent] {
            above = known
        } else {
            above = try transaction.local.package(around: item.parent)
            known[item.parent] = .some(above)
        }
        return above ?? (item.isPackage ? item.node : nil)
    }
}
