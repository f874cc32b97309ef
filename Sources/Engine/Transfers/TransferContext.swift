package import Basics
package import CloudModel
package import CloudStorage

/// The transfers' shared dependencies, replaceable by tests: the cloud, the slots, the threads, the clock and
/// randomness.
package struct TransferContext: Sendable {
    package let backend: any CloudBackend
    package let slots: TransferSlots
    package let pool: BlockingPool
    package let clock: any Clock<Duration>
    /// Jitter for back-off, in 0..<1.
    package let jitter: @Sendable () -> Double
    package let silences: Silences
    let timers: TransferTimers
    /// The limits for sending and receiving.
    package let up: TransferThrottle
    package let down: TransferThrottle
    /// The slots of uploads while downloads are limited: waiting downloads hold slots, and must not hold up uploads.
    private let limitedUploads = TransferSlots(limit: 4, reservedForDemand: 0)
    /// Chooses the keys of uploaded chunks; nil if the log is unknown, so that all have epoch 0.
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
        timers = TransferTimers(clock)
        silences = Silences(clock, grace: Patience.grace)
        up = TransferThrottle(clock)
        down = TransferThrottle(clock)
    }
}

// MARK: Limits

extension TransferContext {
    /// The bytes possibly ahead of a download's piece in the queue for the limit.
    private static let aheadBytes = 32 << 20

    /// The slots of uploads.
    var uploadSlots: TransferSlots { down.rate == nil ? slots : limitedUploads }

    /// How long a download without a reader waits while none of its bytes arrive: longer at a limited rate, which is no
    /// failure of the cloud.
    package func patience(_ patience: Duration) -> Duration { patience + down.time(for: Self.aheadBytes) }

    /// Fetches a chunk at the limited rate.
    ///
    /// - Parameter bytes: The size of the chunk, as far as it is known.
    package func getChunk(
        _ id: ChunkID, in container: ContainerName, about bytes: Int, _ priority: TransferPriority = .background
    ) async throws -> [UInt8] {
        try await getChunk(id, in: container, about: bytes, priority, down.makeTicket())
    }

    private func getChunk(
        _ id: ChunkID, in container: ContainerName, about bytes: Int, _ priority: TransferPriority,
        _ ticket: TransferThrottle.Ticket
    ) async throws -> [UInt8] {
        try await down.pass(ticket, bytes: bytes, priority)
        do {
            let frame = try await backend.getChunk(id, in: container)
            down.correct(bytes, to: frame.count)
            return frame
        } catch {
            down.correct(bytes, to: 0)
            throw error
        }
    }

    /// Fetches a chunk at the limited rate and passes its frame to `use`, on a thread that may block.
    ///
    /// `use` does nothing after this has returned, even if the caller is cancelled.
    ///
    /// - Parameter isUrgent: Whether `use` goes before other work of those threads.
    func withChunk<T: Sendable>(
        _ id: ChunkID, in container: ContainerName, about bytes: Int, _ priority: TransferPriority, isUrgent: Bool,
        _ ticket: TransferThrottle.Ticket, _ use: @escaping @Sendable ([UInt8]) throws -> T
    ) async throws -> T {
        guard let cloud = backend.facet((any ChunkReading).self) else {
            let frame = try await getChunk(id, in: container, about: bytes, priority, ticket)
            return try await pool.run(urgent: isUrgent) { try use(frame) }
        }
        try await down.pass(ticket, bytes: bytes, priority)
        let outcome: Result<T, any Error>
        do {
            outcome = try await cloud.withChunk(id, in: container) { [down] frame in
                down.correct(bytes, to: frame.count)
                return Result { try use(frame) }
            }
        } catch {
            down.correct(bytes, to: 0)
            throw error
        }
        return try outcome.get()
    }
}
