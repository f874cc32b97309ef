/// A document with nothing under way: the log has this device's state of it, and nothing is pending, failed or in
/// conflict.
package struct QuietDocument: Sendable, Equatable {
    package let node: NodeID
    /// Whether all of its bytes are on this device; otherwise none are.
    package let isHere: Bool
    package let pin: PinState
}

extension LocalTree {
    /// Returns the document of that name if it is quiet and in no paused folder; nil for every other item, which must
    /// be read whole.
    ///
    /// Nearly all documents are quiet, and a file manager shows hundreds at once: this reads four columns with one
    /// statement.
    package func quietDocument(named name: ArraySlice<UInt8>, in folder: NodeID) throws -> QuietDocument? {
        guard try !hasPausedFolders() else { return nil }
        var found: QuietDocument?
        try db.forEachRow(
            Self.quiet, values: [.integer(Int64(bitPattern: folder.value)), .bytes(Array(name))]
        ) { columns in
            found = QuietDocument(
                node: NodeID(columns.unsigned(0)),
                isHere: columns.integer(1) == Int64(Presence.whole.rawValue) || columns.integer(2) == 0,
                pin: PinState(rawValue: UInt8(truncatingIfNeeded: columns.integer(3))) ?? .inherited)
            return false
        }
        return found
    }

    private static let quiet = """
        SELECT node, presence, size, pin FROM local WHERE parent = ? AND name = ?
        AND kind = \(LocalKind.file.rawValue) AND presence <> \(Presence.partial.rawValue) AND digest IS NOT NULL
        AND isEdited = 0 AND isKnown = 1 AND isExcluded = 0 AND isPaused = 0 AND wanted = 0
        AND pendingSince IS NULL AND downloadError IS NULL AND uploadError IS NULL AND conflictOf IS NULL
        AND EXISTS (
          SELECT 1 FROM remote WHERE remote.container = local.container AND remote.item = local.item
          AND remote.isDeleted = 0 AND remote.digest = local.digest AND remote.size = local.size
          AND remote.layout = local.layout)
        AND NOT EXISTS (
          SELECT 1 FROM local AS version WHERE version.container = local.container AND version.conflictOf = local.item)
        """
}
