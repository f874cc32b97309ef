import Chunking

/// Decides which parts of a content to fetch, for which reader and when. Pure: takes events and the time, returns
/// actions.
///
/// Every chunk is fetched once, however many readers wait for it. Demands have priority, then read-ahead, then the
/// rest. Times are durations since any fixed moment.
struct FetchPlan: Sendable {
    enum Target: Hashable, Sendable {
        case manifest
        case chunk(Int)
    }

    enum Action: Equatable, Sendable {
        case start(Target, TransferPriority)
        /// A reader now waits for a fetch started with a lower priority.
        case promote(Target)
        /// No reader wants the target any longer. Followed by ``FetchPlan/abandoned(_:now:)``, or by its outcome if
        /// that was faster.
        case cancel(Target)
        case succeed(WaiterID)
        case fail(WaiterID, TransferError)
    }

    struct WaiterID: Hashable, Sendable { let number: UInt64 }

    struct Waiter: Sendable {
        let id: WaiterID
        let range: Range<UInt64>
        let priority: TransferPriority
        /// How long the waiter waits while none of its chunks arrive; nil waits forever.
        let patience: Duration?
        /// When the waiter began to wait, or when any of its chunks last arrived.
        var lastProgress: Duration
        /// The chunks of its range, known once the manifest is.
        var chunks = 0..<0
        var absent = 0
        /// No chunk of its range before this is absent and idle.
        var cursor = 0

        var deadline: Duration? { patience.map { lastProgress + $0 } }
        func isLate(_ now: Duration) -> Bool { deadline.map { $0 <= now } ?? false }
    }

    let size: UInt64
    /// The maximum of parallel fetches for demands; background fetches start only while fewer run in total.
    let parallel: Int
    var manifest: Manifest?
    var present = PresenceBitmap(count: 0)
    var presentBytes: UInt64 = 0
    var waiters: [Waiter] = []
    var inFlight: [Target: TransferPriority] = [:]
    var readAhead: ReadAhead
    var backOff = BackOff()
    /// The last temporary failure since bytes arrived.
    var lastFailure: TransferError?
    /// Targets that arrived damaged once and are requested again.
    var suspects: Set<Target> = []
    /// Bytes to read ahead, requested before the manifest was known.
    var hint: Range<UInt64>?
    /// Whether the reads so far are more than a look.
    var tail: TailRule
    var isStopped = false

    init(size: UInt64, parallel: Int = 4, readAhead: Int = 8) {
        self.size = size
        self.parallel = parallel
        self.readAhead = ReadAhead(maximum: readAhead)
        tail = TailRule(size: size)
    }

    var isComplete: Bool { manifest != nil && present.isFull }

    /// Returns whether all these bytes are on this device. Without a manifest none are known to be.
    func isPresent(_ range: Range<UInt64>) -> Bool {
        guard let manifest else { return range.isEmpty }
        return isComplete || present.firstAbsent(in: manifest.indices(covering: range)) == nil
    }

    /// When ``tick(now:)`` is due.
    var nextWake: Duration? {
        guard !isStopped, !waiters.isEmpty else { return nil }
        let deadline = waiters.lazy.compactMap(\.deadline).min()
        return [deadline, backOff.resumeAt].compactMap { $0 }.min()
    }
}

// MARK: Requests of readers

extension FetchPlan {
    mutating func demand(
        _ id: WaiterID, _ range: Range<UInt64>, _ priority: TransferPriority, patience: Duration?, now: Duration
    ) -> [Action] {
        guard !isStopped else { return [.fail(id, .stopped)] }
        if isPresent(range) { return [.succeed(id)] + readOn(range, now: now) }
        var waiter = Waiter(id: id, range: range, priority: priority, patience: patience, lastProgress: now)
        locate(&waiter)
        waiters.append(waiter)
        if priority == .demand { noteRead(range) }
        return schedule(now: now)
    }

    /// Notes that a reader took local bytes: the bytes after them may be worth fetching.
    mutating func readOn(_ range: Range<UInt64>, now: Duration) -> [Action] {
        guard !isComplete, !isStopped else { return [] }
        tail.read(range)
        noteRead(range)
        return schedule(now: now)
    }

    /// Fetches bytes for a reader in advance, without a waiter.
    mutating func prefetch(_ range: Range<UInt64>, now: Duration) -> [Action] {
        guard !isComplete, !isStopped else { return [] }
        if let manifest { readAhead.prefetch(manifest.indices(covering: range)) } else { hint = range }
        return schedule(now: now)
    }

    /// Removes a waiter that gave up. Its fetches continue if other waiters need them.
    mutating func cancel(_ id: WaiterID) -> [Action] {
        waiters.removeAll { $0.id == id }
        return waiters.isEmpty ? cancelAll() : []
    }

    /// Ends everything: no further fetch starts, and all waiters fail.
    mutating func stop() -> [Action] {
        isStopped = true
        defer { waiters = [] }
        return waiters.map { .fail($0.id, .stopped) } + cancelAll()
    }

    private mutating func noteRead(_ range: Range<UInt64>) {
        if let manifest { readAhead.read(manifest.indices(covering: range), of: manifest.chunks.count) }
    }

    mutating func cancelAll() -> [Action] {
        readAhead.stop()
        hint = nil
        return inFlight.keys.map { .cancel($0) }
    }

    func locate(_ waiter: inout Waiter) {
        guard let manifest else { return }
        waiter.chunks = manifest.indices(covering: waiter.range)
        waiter.cursor = waiter.chunks.lowerBound
        waiter.absent = present.absentCount(in: waiter.chunks)
    }
}

extension TransferError {
    static var stopped: TransferError {
        TransferError(.stopped, "The download was ended because its content is no longer wanted here.")
    }
}
