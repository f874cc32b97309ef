import GRDB

/// Pauses that folders pass on to what is inside them.
extension LocalTree {
    /// Whether the sync of the item, or of a folder that it is in, is paused.
    package func isPaused(_ item: LocalItem) throws -> Bool {
        try item.isPaused || isPaused(in: item.parent)
    }

    /// Whether the sync of the folder, or of a folder that it is in, is paused.
    package func isPaused(in folder: NodeID) throws -> Bool {
        guard try hasPausedFolders() else { return false }
        return try number(
            "SELECT \(QueueQueries.isPaused("?"))", [Int64(bitPattern: folder.value)]) != 0
    }

    /// One look for each transaction; nearly all devices have none.
    func hasPausedFolders() throws -> Bool {
        try memory.flag(\.hasPausedFolders) { try number(QueueQueries.pausedFolders) != 0 }
    }

    func notePause(of item: LocalItem, was isPaused: Bool) {
        guard item.kind == .folder, item.isPaused != isPaused else { return }
        memory.hasPausedFolders = nil
        // The rows inside do not change, though what is shown of them does.
        memory.changesEverything = true
    }
}
