package import Basics
package import CloudModel

extension ItemID {
    /// Returns a new id of the time, in milliseconds, followed by 80 random bits. Rows of items created together are
    /// then adjacent in the indexes by id, unlike random ids, spread over all pages. The order has no other meaning.
    ///
    /// A collision becomes likely with about 10^12 items created by all devices of a container in one millisecond.
    package static func made(at time: Timestamp) -> ItemID {
        var generator = SystemRandomNumberGenerator()
        return made(at: time, using: &generator)
    }

    package static func made(at time: Timestamp, using generator: inout some RandomNumberGenerator) -> ItemID {
        // 44 bits; the top bit distinguishes ids from well-known ones.
        let milliseconds = UInt64(clamping: time.nanoseconds / 1_000_000)
        return ItemID(high: 1 << 63 | milliseconds << 16 | generator.next() & 0xFFFF, low: generator.next())
    }
}
