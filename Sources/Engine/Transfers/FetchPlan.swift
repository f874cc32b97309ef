import Chunking

/// Decides what to fetch of one content, for which reader and when. Pure: events and the time in, actions out.
///
/// Every chunk is fetched once however many wait for it. Demands go first, then what a reader will want next, then the rest.
/// Times are durations since any fixed moment.
struct FetchPlan: Sendable {
    enum Target: Hashable, Sendable {
        case manifest
        case chunk(Int)
    }

    enum Action: Equatable, Sendable {
        case start(Target, TransferPriority)
        /// A reader now waits for what was started with a lower priority.
        case promote(Target)
        /// No reader wants it any more. Followed by ``FetchPlan/abandoned(_:now:)``, or by its outcome if that was faster.
        case cancel(Target)
        case succeed(WaiterID)
        case fail(WaiterID, TransferError)
    }

    struct WaiterID: Hashable, Sendable { let number: UInt64 }

    struct Waiter: Sendable {
        let id: WaiterID
        let range: Range<UInt64>
        let priority: TransferPriority
        /// How long it waits without any of its chunks arriving; nil waits for ever.
        let patience: Duration?
        /// When it began to wait, or when one of its chunks last arrived.
        var lastProgress: Duration
        /// Known once the manifest is.
        var chunks = 0..<0
        var absent = 0
        /// No chunk of its range before this is absent and idle.
        var cursor = 0

        var deadline: Duration? { patience.map { lastProgress + $0 } }
        func isLate(_ now: Duration) -> Bool { deadline.map { $0 <= now } ?? false }
    }

    let size: UInt64
    /// Fetches at once: so many for demands, and background ones only while fewer run in all.
    let parallel: Int
    var manifest: Manifest?
    var present = PresenceBitmap(count: 0)
    var presentBytes: UInt64 = 0
    var waiters: [Waiter] = []
    var inFlight: [Target: TransferPriority] = [:]
    var readAhead: ReadAhead
    var backOff = BackOff()
    /// The failure since the last arrival that pausing may heal.
    var lastFailure: TransferError?
    /// What came damaged once and is asked for again.
    var suspects: Set<Target> = []
    /// Bytes to read ahead, requested before the manifest was known.
    var hint: Range<UInt64>?
    var isStopped = false

    init(size: UInt64, parallel: Int = 4, readAhead: Int = 8) {
        self.size = size
        self.parallel = parallel
        self.readAhead = ReadAhead(maximum: readAhead)
    }

    var isComplete: Bool { manifest != nil && present.isFull }

    /// Whether all these bytes are on this device. Without a manifest nothing is known to be.
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

// MARK: What readers do

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

    /// A reader took bytes that were there: what follows them may be worth fetching.
    mutating func readOn(_ range: Range<UInt64>, now: Duration) -> [Action] {
        guard !isComplete, !isStopped else { return [] }
        noteRead(range)
        return schedule(now: now)
    }

    /// A reader will want these bytes and does not wait for them.
    mutating func prefetch(_ range: Range<UInt64>, now: Duration) -> [Action] {
        guard !isComplete, !isStopped else { return [] }
        if let manifest { readAhead.prefetch(manifest.indices(covering: range)) } else { hint = range }
        return schedule(now: now)
    }

    /// The waiter gave up. What it wanted goes on if another one waits for it.
    mutating func cancel(_ id: WaiterID) -> [Action] {
        waiters.removeAll { $0.id == id }
        return waiters.isEmpty ? cancelAll() : []
    }

    /// Ends everything: nothing is started any more, all waiters fail.
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
