/// Delays sending while programs change many items, as when an archive is unpacked or a tree is removed: uploads would compete with them
/// for the processor, the disk and the database, and much of what they would send is gone a moment later.
///
/// Time passes only by the delays, so the decision depends on nothing but the counts.
package struct BurstDelay {
    /// The changes between two looks that make a burst; a save makes about five.
    package static let burst: UInt64 = 32
    package static let step = Duration.milliseconds(100)
    /// The longest delay of a burst: a long copy is sent while it goes on.
    package static let limit = Duration.seconds(2)

    private var seen: UInt64 = 0
    private var delayed = Duration.zero

    package init() {}

    /// Begins a look while no change is due.
    ///
    /// - Parameter changes: The number of changes so far.
    package mutating func look(_ changes: UInt64) { seen = changes }

    /// Returns how long to wait before the next call; nil to send what is due.
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
