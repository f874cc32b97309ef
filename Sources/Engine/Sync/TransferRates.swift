package import LocalMetadata
package import Logging
import Transfers

import struct Foundation.Data
import class Foundation.JSONDecoder
import class Foundation.JSONEncoder

/// The limits of a device's transfers in bytes a second; nil: none. Together with the behavior on a metered network, a
/// setting of the device that survives a restart.
package struct TransferRates: Codable, Hashable, Sendable {
    package var up: UInt64?
    package var down: UInt64?
    /// Nil: ``MeteredRule/Choice/wait``.
    package var onMetered: MeteredRule.Choice?

    /// The rates allowed.
    package static let valid: ClosedRange<UInt64> = 10_000...1_000_000_000_000

    private static let key = "limits"

    package init(up: UInt64? = nil, down: UInt64? = nil, onMetered: MeteredRule.Choice? = nil) {
        self.up = up
        self.down = down
        self.onMetered = onMetered
    }

    /// Returns the stored rates; no limits if there are none, or if they cannot be read.
    package init(in metadata: MetadataDatabase, log: Logger) {
        self.init()
        do {
            guard let bytes = try metadata.read({ try $0.setting(Self.key) }) else { return }
            self = try JSONDecoder().decode(Self.self, from: bytes)
        } catch { log.warning("the limits of transfers cannot be read", metadata: ["error": "\(error)"]) }
        up = up.map(Self.nearest)
        down = down.map(Self.nearest)
    }

    private static func nearest(_ rate: UInt64) -> UInt64 { min(max(rate, valid.lowerBound), valid.upperBound) }

    package func store(in metadata: MetadataDatabase) throws {
        let bytes = try JSONEncoder().encode(self)
        try metadata.write(.freeing) { try $0.setSetting(Self.key, bytes) }
    }

    /// Applies the rates to new and waiting transfers.
    func apply(to transfers: TransferContext) {
        transfers.up.setRate(up)
        transfers.down.setRate(down)
    }
}
