import FoundationEssentials

/// The result of a rebuild, for people and for `report.json` beside the state that was set aside.
package struct RebuildReport: Codable, Hashable, Sendable {
    package var format: UInt32 = 1
    /// Why the state was rebuilt.
    package let reason: String
    /// The absolute path of the old state.
    package let aside: String
    /// The path of the recovered documents from the mount's root; nil when there are none.
    package var folder: String?
    /// Documents that the cloud did not have.
    package var recovered: UInt64 = 0
    /// Documents whose local bytes were removed because the cloud holds them.
    package var inCloud: UInt64 = 0
    /// Documents that the cloud had but had lost bytes of, which were uploaded again.
    package var repaired: UInt64 = 0
    /// Files that stay with the old state because their origin is not known.
    package var keptAside: UInt64 = 0
    /// Paths of documents whose bytes were not on this device before the rebuild, and are not in the cloud.
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
