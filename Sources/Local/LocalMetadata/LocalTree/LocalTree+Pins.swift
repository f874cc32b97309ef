import GRDB

import struct Foundation.Data

/// Reads and sets pins, which folders pass on to everything in them, and the mount's root to its containers.
extension LocalTree {
    private static let rootPinKey = "pin"

    /// Returns the pin of the item, of the nearest pinned folder above it, or of the mount's root.
    package func effectivePin(of node: NodeID) throws -> PinState {
        let pin = try optionalNumber(
            """
            WITH RECURSIVE up (pin, parent, depth) AS (
              SELECT pin, parent, 0 FROM local WHERE node = ?
              UNION ALL
              SELECT local.pin, local.parent, depth + 1 FROM up JOIN local ON local.node = up.parent
              WHERE up.pin = 0 AND depth < 4096
            )
            SELECT pin FROM up WHERE pin <> 0
            """, [Int64(bitPattern: node.value)])
        return try pin.flatMap { PinState(rawValue: UInt8(truncatingIfNeeded: $0)) } ?? rootPin()
    }

    /// Returns the pin of the mount's root, which also applies to later containers.
    package func rootPin() throws -> PinState {
        guard let stored = try transaction.setting(Self.rootPinKey) else { return .inherited }
        return stored.first.flatMap(PinState.init(rawValue:)) ?? .inherited
    }

    package func setRootPin(_ pin: PinState) throws {
        try transaction.setSetting(Self.rootPinKey, Data([pin.rawValue]))
    }

    /// Returns the priority for downloading a folder's new file without a request.
    package func priority(ofNewFileIn folder: NodeID) throws -> UInt8 {
        switch try effectivePin(of: folder) {
        case .keep: DownloadPriority.kept
        case .whenSpace: DownloadPriority.whenSpace
        case .inherited, .lazy, .evictOnUpdate: 0
        }
    }
}
