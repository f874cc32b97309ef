package import LocalMetadata
import Synchronization

/// Items whose rows hold impossible values, found when their folders were listed. A folder is shown without them.
package final class UnreadableItems: Sendable {
    private let folders = Mutex<[NodeID: NodeID]>([:])
    /// Upper bound: the first few are enough for a report.
    private static let limit = 100

    /// Returns true if the item was not known to be unreadable.
    func insert(_ node: NodeID, in folder: NodeID) -> Bool {
        folders.withLock { folders in
            guard folders.count < Self.limit, folders[node] == nil else { return false }
            folders[node] = folder
            return true
        }
    }

    /// The unreadable nodes with their folders, in order.
    package var all: [(node: NodeID, folder: NodeID)] {
        folders.withLock { $0.sorted { $0.key < $1.key }.map { (node: $0.key, folder: $0.value) } }
    }
}
