package import Basics
package import CloudStorage

/// What transfers share and tests replace: the cloud, the slots, the threads, the clock and chance.
package struct TransferContext: Sendable {
    package let backend: any CloudBackend
    package let slots: TransferSlots
    package let pool: BlockingPool
    package let clock: any Clock<Duration>
    /// A number of 0..<1, for back-offs that do not fall together.
    package let jitter: @Sendable () -> Double
    package let silences: Silences

    package init(
        backend: any CloudBackend, slots: TransferSlots, pool: BlockingPool,
        clock: any Clock<Duration> = ContinuousClock(),
        jitter: @escaping @Sendable () -> Double = { Double.random(in: 0..<1) }
    ) {
        self.backend = backend
        self.slots = slots
        self.pool = pool
        self.clock = clock
        self.jitter = jitter
        silences = Silences(clock, grace: Patience.grace)
    }
}
