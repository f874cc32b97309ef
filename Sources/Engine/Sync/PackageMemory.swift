import CloudModel
import ContainerLog
import LocalMetadata

/// Caches a batch builder's knowledge of packages, so that each is examined once.
struct PackageMemory {
    enum State {
        /// Not all of it can be sent now, so nothing of it is.
        case waiting
        case complete
        /// The package has more changes than fit into a single entry, so they are sent individually.
        case loose
    }

    /// The maximum number of a package's changes in a single entry, which has at most 10,000; an item may need several.
    static let limit = 3_000

    var states: [NodeID: State] = [:]
    /// Whether a package waits for the next batch only because this batch is full.
    var isCutShort = false
    private var known: [NodeID: NodeID?] = [:]
    private var knownInLog: [ItemID: ItemID?] = [:]

    /// Returns the outermost package at or above an item.
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

    /// Returns the log's outermost package at or above a folder.
    mutating func package(inLogAround folder: ItemID, _ tree: RemoteTree) throws -> ItemID? {
        if let known = knownInLog[folder] { return known }
        let package = try tree.packages(around: folder).last?.id
        knownInLog[folder] = .some(package)
        return package
    }
}
