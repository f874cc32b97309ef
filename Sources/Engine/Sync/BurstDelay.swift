/// Delays sending while programs change many items, as when an archive is unpacked or a tree is removed: uploads would
/// compete with them for the processor, the disk and the database, and many of the items are gone a moment later.
///
/// Time passes only by the delays, so the decision depends on the counts alone.
package struct BurstDelay {
    /// The number of changes between two looks that counts as a burst; a save has about five.
    package static let burst: UInt64 = 32
    package static let step = Duration.milliseconds(100)
    /// The longest delay of a burst: a long copy is sent while it continues.
    package static let limit = Duration.seconds(2)

    private var seen: UInt64 = 0
    private var delayed = Duration.zero

    package init() {}

    /// Begins a look while no change is due.
    ///
    /// - Parameter changes: The number of changes so far.
    package mutating func look(_ changes: UInt64) { seen = changes }

    /// Returns how long to wait before the next call; nil to send all due changes.
    package mutating func delay(_ changes: UInt64) -> Duration? {
        defer { seen = changes }
        guard changes &- seen >= Self.burst else {
            delayed = .zero
            return nil
        }
        guard delayed < Self.limit else { return nil }
        delayed += Self.step
        return Self.step
    }
}
