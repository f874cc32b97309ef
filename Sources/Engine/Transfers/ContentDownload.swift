import Basics
package import Chunking
package import CloudModel

/// The shared download of a content, used by all its readers.
///
/// Bytes are written only after their digest was checked, and count as local only after they were written.
/// ``FetchPlan`` decides; this class holds the lock, runs the fetches and resumes the waiters. Fetches keep it, and so
/// its descriptor, alive until they end.
package final class ContentDownload: Sendable {
    package struct Options: Sendable {
        /// Chunks written and synced by an earlier run; see ``ContentDownload/presentChunks``.
        package var presentChunks: [UInt8]?
        /// The manifest of an earlier run, so that local chunks can be read offline. Ignored if it belongs to a
        /// different content.
        package var manifest: Manifest?
        /// A file with chunks to copy instead of fetching.
        package var reuse: ChunkSource?
        /// Called whenever bytes were written, on any thread; calls may arrive out of order. Must return immediately.
        package var onProgress: (@Sendable (DownloadProgress) -> Void)?
        /// Called with the size of each piece received from the cloud, on any thread. Must return immediately.
        package var onReceived: (@Sendable (Int) -> Void)?

        package init() {}
    }

    struct State {
        var plan: FetchPlan
        var local: LocalCopies?
        var waiters: [FetchPlan.WaiterID: CheckedContinuation<Void, any Error>] = [:]
        var tickets: [FetchPlan.Target: TransferTicket] = [:]
        var throttleTickets: [FetchPlan.Target: TransferThrottle.Ticket] = [:]
        var timer: Timer?
        var reportedBytes: UInt64 = 0
        var drains: [CheckedContinuation<Void, Never>] = []
        var nextNumber: UInt64 = 0

        /// Notes that the fetch of a target has ended.
        mutating func forget(_ target: FetchPlan.Target) {
            tickets[target] = nil
            throttleTickets[target] = nil
        }
    }

    struct Timer {
        let at: Duration
        let key: TransferTimers.Key
    }

    package let reference: ContentReference
    let container: ContainerName
    let context: TransferContext
    let destination: SharedDescriptor
    let options: Options
    let elapsed: @Sendable () -> Duration
    let state: RankedMutex<State>

    /// - Parameter destination: open for reading and writing, and already of the content's full size.
    package init(
        _ reference: ContentReference, in container: ContainerName, to destination: SharedDescriptor,
        context: TransferContext, options: Options = Options()
    ) {
        self.reference = reference
        self.container = container
        self.context = context
        self.destination = destination
        self.options = options
        elapsed = TransferTimers.stopwatch(context.clock)
        state = RankedMutex(.contentDownload, State(plan: FetchPlan(size: reference.size)))
        let kept = options.manifest.flatMap { $0.reference == reference ? $0 : nil }
        if let manifest = kept ?? Manifest(within: reference) {
            let known = prepare(manifest)
            state.withLock { state in
                // No reader waits yet, so there is nothing to do.
                _ = enter(known, &state, now: .zero)
                state.reportedBytes = state.plan.presentBytes
            }
        }
    }

    /// Returns once all these bytes are on this device. Bytes past the end count as local.
    ///
    /// - Parameters:
    ///   - priority: `demand` for a reader, `background` for a download without a waiting reader.
    ///   - patience: how long to wait while none of these bytes arrive; nil waits forever.
    /// - Throws: ``TransferError``, or `CancellationError`. Other waiters are not affected; a demand arriving right
    ///   after an expired one fails with it.
    package func ensure(
        _ range: Range<UInt64>, priority: TransferPriority = .demand, patience: Duration?
    ) async throws {
        if patience != nil, priority == .demand, let failure = context.silences.failure(reference.digest),
            !state.withLock({ $0.plan.isPresent(range) })
        {
            throw failure
        }
        let id = state.withLock { state in
            state.nextNumber += 1
            return FetchPlan.WaiterID(number: state.nextNumber)
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                wait(id, continuation) { plan, now in
                    plan.demand(id, range, priority, patience: patience, now: now)
                }
            }
        } onCancel: {
            cancel(id)
        }
    }

    /// Fetches all absent bytes, after all demands.
    package func completeAll(patience: Duration? = nil) async throws {
        try await ensure(0..<reference.size, priority: .background, patience: patience)
    }

    /// Fetches these bytes soon, without a waiter. A failure is not reported; it recurs when the bytes are demanded.
    package func prefetch(_ range: Range<UInt64>) { handle { $0.plan.prefetch(range, now: $1) } }

    /// Returns whether these bytes can be read immediately. Never waits; if they can, also keeps the read-ahead going.
    package func isPresent(_ range: Range<UInt64>) -> Bool {
        let (isPresent, isComplete) = state.withLock { ($0.plan.isPresent(range), $0.plan.isComplete) }
        if isPresent, !isComplete { handle { $0.plan.readOn(range, now: $1) } }
        return isPresent
    }

    /// Whether the rest of the content is worth fetching too, because its readers take more than a look at it.
    package var wantsRest: Bool { state.withLock { $0.plan.tail.wantsRest } }

    /// Notes a read with bytes missing locally, for ``wantsRest``.
    package func noteRead(_ range: Range<UInt64>) { state.withLock { $0.plan.tail.read(range) } }

    /// Ends the pause after a failure, as the cloud is reported to be back.
    package func retryNow() {
        context.silences.end(reference.digest)
        handle { $0.plan.retryNow(now: $1) }
    }

    /// Ends the download: waiters fail with `stopped`. Once it returns, nothing writes to the destination any longer.
    package func stop() async {
        handle { state, _ in state.plan.stop() }
        await withCheckedContinuation { continuation in
            let isIdle = state.withLock { state in
                if !state.plan.inFlight.isEmpty { state.drains.append(continuation) }
                return state.plan.inFlight.isEmpty
            }
            if isIdle { continuation.resume() }
        }
    }
}

// MARK: Progress

extension ContentDownload {
    package var progress: DownloadProgress { state.withLock { Self.progress($0.plan) } }
    package var fractionPresent: Double { progress.fraction }
    package var isComplete: Bool { state.withLock { $0.plan.isComplete } }

    /// The written chunks, as a bitmap: chunk `i` is bit `i % 8` of byte `i / 8`. To keep it, take it first, then
    /// `fdatasync(2)` the destination, then store it.
    package var presentChunks: [UInt8] {
        state.withLock { $0.plan.manifest == nil ? nil : $0.plan.present.bytes } ?? options.presentChunks ?? []
    }

    /// The manifest; nil until it has been fetched.
    package var manifest: Manifest? { state.withLock { $0.plan.manifest } }

    static func progress(_ plan: FetchPlan) -> DownloadProgress {
        DownloadProgress(presentBytes: plan.presentBytes, size: plan.size, isComplete: plan.isComplete)
    }
}
