import FoundationEssentials

/// The result of a rebuild, for people and for `report.json` beside the old state.
package struct RebuildReport: Codable, Hashable, Sendable {
    package var format: UInt32 = 1
    /// Why the state was rebuilt.
    package let reason: String
    /// The absolute path of the old state.
    package let aside: String
    /// The path of the recovered documents from the mount's root; nil when there are none.
    package var folder: String?
    /// Documents missing from the cloud.
    package var recovered: UInt64 = 0
    /// Documents whose local bytes were removed because the cloud holds them.
    package var inCloud: UInt64 = 0
    /// Documents in the cloud with lost bytes, uploaded again.
    package var repaired: UInt64 = 0
    /// Files kept with the old state because their origin is unknown.
    package var keptAside: UInt64 = 0
    /// Paths of documents with bytes neither on this device before the rebuild nor in the cloud.
    package var lost: [String] = []

    private enum CodingKeys: String, CodingKey {
        case format, reason, aside, folder, recovered, inCloud, keptAside, lost
        // The name in reports of earlier releases.
        case repaired = "mended"
    }

    package init(reason: String, aside: String) {
        self.reason = reason
        self.aside = aside
    }
}
