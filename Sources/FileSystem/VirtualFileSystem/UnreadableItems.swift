package import LocalMetadata
import Synchronization

/// Items whose rows hold what no item can have, found when their folders were listed. The others of the folder are shown without them.
package final class UnreadableItems: Sendable {
    private let folders = Mutex<[NodeID: NodeID]>([:])
    /// Bounded: the first ones say enough.
    private static let limit = 100

    /// True for one that was not known.
    func insert(_ node: NodeID, in folder: NodeID) -> Bool {
        folders.withLock { folders in
            guard folders.count < Self.limit, folders[node] == nil else { return false }
            folders[node] = folder
            return true
        }
    }

    /// Nodes with the folders that they are in, in order.
    package var all: [(node: NodeID, folder: NodeID)] {
        folders.withLock { $0.sorted { $0.key < $1.key }.map { (node: $0.key, folder: $0.value) } }
    }
}
