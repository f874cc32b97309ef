import GRDB

/// Reads pauses, which folders pass on to everything in them.
extension LocalTree {
    /// Returns whether the sync of the item, or of a folder above it, is paused.
    package func isPaused(_ item: LocalItem) throws -> Bool {
        try item.isPaused || isPaused(in: item.parent)
    }

    /// Returns whether the sync of the folder, or of a folder above it, is paused.
    package func isPaused(in folder: NodeID) throws -> Bool {
        guard try hasPausedFolders() else { return false }
        return try number(
            "SELECT \(QueueQueries.isPaused("?"))", [Int64(bitPattern: folder.value)]) != 0
    }

    /// Returns whether any folder is paused, looked up once per transaction; nearly all devices have none.
    func hasPausedFolders() throws -> Bool {
        try memory.flag(\.hasPausedFolders) { try number(QueueQueries.pausedFolders) != 0 }
    }

    func notePause(of item: LocalItem, was isPaused: Bool) {
        guard item.kind == .folder, item.isPaused != isPaused else { return }
        memory.hasPausedFolders = nil
        // The rows inside do not change, but their shown state does.
        memory.changesEverything = true
    }
}
