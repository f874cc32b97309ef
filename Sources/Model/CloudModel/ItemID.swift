import Basics

/// The identity of an item inside its container, stable across renames and moves: 128 random bits, or a well-known
/// value.
package struct ItemID: Hashable, Comparable, Sendable, CustomStringConvertible {
    package let high: UInt64
    package let low: UInt64

    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    @Sendable package static func random() -> ItemID {
        var generator = SystemRandomNumberGenerator()
        return random(using: &generator)
    }

    package static func random(using generator: inout some RandomNumberGenerator) -> ItemID {
        // The top bit distinguishes random ids from well-known ones.
        ItemID(high: generator.next() | 1 << 63, low: generator.next())
    }

    /// The folder for the container itself.
    package static let root = ItemID(high: 0, low: 1)
    /// The folder `Documents/`, with the user's visible documents.
    package static let documents = ItemID(high: 0, low: 2)

    package var isWellKnown: Bool { high == 0 }

    package static func < (left: ItemID, right: ItemID) -> Bool { (left.high, left.low) < (right.high, right.low) }

    package var description: String { Hex.encode(high) + Hex.encode(low) }

    package init?(_ text: String) {
        guard text.utf8.count == 32, let high = UInt64(text.prefix(16), radix: 16),
            let low = UInt64(text.suffix(16), radix: 16)
        else { return nil }
        self.init(high: high, low: low)
    }
}
