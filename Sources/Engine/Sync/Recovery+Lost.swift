import Basics
import CloudModel
import Glibc
import LocalContent
package import LocalMetadata
import Logging

extension Recovery {
    private static let page = 512

    /// Finds documents with missing bytes, and excluded files with outdated rows: a power failure may keep a change of
    /// a blob and lose the transaction that recorded it. Turns files whose bytes are in the cloud into placeholders
    /// again. Runs concurrently with everything else.
    package func repairLost(isInUse: (LocalItem) -> Bool) throws {
        var last = NodeID.root
        while true {
            let items = try metadata.read { try $0.local.present(after: last, limit: Self.page) }
            guard let end = items.last else { return }
            last = end.node
            for item in items where try isRepairable(item) && !isInUse(item) { try repair(item) }
        }
    }

    /// Returns whether the bytes differ from the row, or are lost here while the cloud has them.
    private func isRepairable(_ item: LocalItem) throws -> Bool {
        guard !item.isWriting else { return false }
        if item.isEdited { return try isBehind(item) }
        return try item.content != nil && status(of: item.blob) == nil
    }

    private func repair(_ item: LocalItem) throws {
        try metadata.write { transaction in
            // The item may have been replaced with a different version since it was read.
            guard var row = try transaction.local.item(item.node), row.generation == item.generation,
                row.presence != .none, try isRepairable(row)
            else { return }
            guard !row.isEdited else { return try recover(row, transaction) }
            row.presence = .none
            row.ranges = []
            row.generation += 1
            try transaction.local.update(row)
        }
        log.notice("a row was not what is on the disk, and was repaired", metadata: ["node": "\(item.node)"])
    }
}
