import FoundationEssentials

/// What a rebuild did, for people and for `report.json` beside the state that was set aside.
package struct RebuildReport: Codable, Hashable, Sendable {
    package var format: UInt32 = 1
    /// Why the state was rebuilt.
    package let reason: String
    /// Where the old state is, absolute.
    package let aside: String
    /// Where recovered documents show, from the mount on; nil when there were none.
    package var folder: String?
    /// Documents that the cloud did not have.
    package var recovered: UInt64 = 0
    /// Documents whose bytes were dropped, as the cloud holds them.
    package var inCloud: UInt64 = 0
    /// Documents that the cloud knew but had lost bytes of, put there again.
    package var repaired: UInt64 = 0
    /// Files that stay with the old state, as it is not known what they are.
    package var keptAside: UInt64 = 0
    /// Documents whose bytes were gone from this device before, by path.
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
