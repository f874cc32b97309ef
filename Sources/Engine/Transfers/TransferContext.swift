package import Basics
package import CloudStorage

/// The dependencies that transfers share and tests replace: the cloud, the slots, the threads, the clock and randomness.
package struct TransferContext: Sendable {
    package let backend: any CloudBackend
    package let slots: TransferSlots
    package let pool: BlockingPool
    package let clock: any Clock<Duration>
    /// Returns a number in 0..<1, which spreads back-offs.
    package let jitter: @Sendable () -> Double
    package let silences: Silences
    /// Chooses the keys of uploaded chunks; nil where the log is not known, so that all have epoch 0.
    package var keys: (any UploadKeys)?

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
