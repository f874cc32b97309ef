import Basics

/// The idempotency key of an append: 128 random bits chosen by the device for this append and sent with every attempt
/// in ``header``. For a known key, the server returns the position of the original append.
package struct AppendKey: Hashable, Sendable, CustomStringConvertible {
    package static let header = "Ubiquity-Append"

    package let bytes: [UInt8]

    package static func random(using generator: inout some RandomNumberGenerator) -> AppendKey {
        AppendKey(known: (0..<16).map { _ in UInt8.random(in: 0...255, using: &generator) })
    }

    private init(known bytes: [UInt8]) { self.bytes = bytes }

    package init?(_ text: String) {
        guard text.utf8.count == 32, let bytes = Hex.decode(text) else { return nil }
        self.bytes = bytes
    }

    package var description: String { Hex.encode(bytes) }
}
