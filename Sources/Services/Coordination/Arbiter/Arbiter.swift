import Synchronization

/// The way to clients. Called in the order of what happened, one call at a time, outside of every lock; returns soon.
package protocol ClaimMessenger: Sendable {
    func send(_ letter: PresenterDelivery, to presenter: PresenterID, of client: ClientID)
    /// The client was frozen for too long: its claim has ended.
    func revoke(_ claim: ClaimID, of client: ClientID)
    func report(_ report: ClaimReport)
}

/// Owns the table of claims: hands events to it from any thread, and does what it says.
///
/// Its lock stands above the database, as the table asks the tree under it: never call it inside a transaction. An outcome
/// or a message may come before the call that caused it returns.
package final class Arbiter<C: Clock>: Sendable where C.Duration == Duration {
    package typealias Outcome = Result<[ItemKey], ClaimError>

    struct State: Sendable {
        var table: ClaimTable
        var nextNumber: UInt64 = 0
        var waiters: [ClaimID: @Sendable (Outcome) -> Void] = [:]
        /// Decided and not yet done.
        var deliveries: [Delivery] = []
        /// Somebody is at it; others only add.
        var isDelivering = false
        var alarm: (time: Duration, task: Task<Void, Never>)?
        var isClosed = false
    }

    enum Delivery: Sendable {
        case letter(PresenterDelivery, PresenterID, ClientID)
        case outcome(@Sendable (Outcome) -> Void, Outcome)
        case revocation(ClaimID, ClientID)
        case report(ClaimReport)
    }

    let clock: C
    let start: C.Instant
    let tree: any ItemTree & Sendable
    let messenger: any ClaimMessenger
    let state: Mutex<State>

    package init(
        tree: any ItemTree & Sendable, messenger: any ClaimMessenger, clock: C, bounds: ClaimBounds = ClaimBounds()
    ) {
        self.tree = tree
        self.messenger = messenger
        self.clock = clock
        start = clock.now
        state = Mutex(State(table: ClaimTable(bounds: bounds)))
    }

    deinit { state.withLock { $0.alarm?.task.cancel() } }

    /// No alarm sounds any more. To be called once there are no clients.
    package func close() {
        state.withLock { state in
            state.isClosed = true
            state.alarm?.task.cancel()
            state.alarm = nil
        }
    }

    // MARK: Requests

    /// Asks for access. The outcome is told exactly once.
    package func open(_ request: ClaimRequest, _ outcome: @escaping @Sendable (Outcome) -> Void) -> ClaimID {
        let id = ClaimID(makeNumber())
        open(id, request, outcome)
        return id
    }

    /// Waits for access; the caller has to call ``finish(_:of:)``. A cancelled task gets `cancelled`, unless it was granted already.
    package func claim(_ request: ClaimRequest) async throws(ClaimError) -> (id: ClaimID, items: [ItemKey]) {
        let id = ClaimID(makeNumber())
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                open(id, request) { continuation.resume(returning: $0) }
                // The handler may have run before there was anything to cancel.
                if Task.isCancelled { cancel(id, of: request.client) }
            }
        } onCancel: {
            cancel(id, of: request.client)
        }
        return (id, try outcome.get())
    }

    /// A number for ``open(_:_:_:)``, to be used once.
    package func reserve() -> ClaimID { ClaimID(makeNumber()) }

    package func open(_ id: ClaimID, _ request: ClaimRequest, _ outcome: @escaping @Sendable (Outcome) -> Void) {
        perform { state in
            state.waiters[id] = outcome
            return .requested(id, request)
        }
    }

    package func cancel(_ id: ClaimID, of client: ClientID) {
        perform { $0.table.client(of: id) == client ? .cancelled(id) : nil }
    }

    package func finish(_ id: ClaimID, of client: ClientID) {
        perform { $0.table.client(of: id) == client ? .finished(id) : nil }
    }

    /// Ends it, whether it waits or is held.
    package func abandon(_ id: ClaimID, of client: ClientID) {
        perform { state in
            guard state.table.client(of: id) == client else { return nil }
            return state.table.claims[id]?.phase == .granted ? .finished(id) : .cancelled(id)
        }
    }

    // MARK: Presenters

    package func register(_ registration: PresenterRegistration) -> PresenterID {
        let id = PresenterID(makeNumber())
        perform { _ in .registered(id, registration) }
        return id
    }

    /// False if the client has no such presenter.
    @discardableResult
    package func unregister(_ id: PresenterID, of client: ClientID) -> Bool {
        let isOwn = state.withLock { $0.table.client(of: id) == client }
        if isOwn { perform { _ in .unregistered(id) } }
        return isOwn
    }

    /// What it presents now; nil if it is gone.
    package func key(of presenter: PresenterID) -> ItemKey? { state.withLock { $0.table.presenters[presenter]?.key } }

    package func answer(_ ask: AskID, _ answer: PresenterAnswer, of client: ClientID) {
        perform { $0.table.client(of: ask) == client ? .answered(ask, answer) : nil }
    }

    // MARK: Everything else

    /// A change of the tree, after its commit, or of a client's state. Requests, presenters and answers have calls of their own.
    package func tell(_ event: ClaimEvent) {
        perform { _ in event }
    }

    /// A change at an item or a name, after its commit, done by whoever writes there under a claim, if anybody does.
    package func tell(
        at key: ItemKey, in folder: ItemNumber? = nil, _ event: @Sendable (_ writer: ClaimID?) -> ClaimEvent
    ) {
        perform { state in event(state.table.writer(of: key, in: folder, in: tree)) }
    }

    /// Whether the client is in the middle of something that others may wait for: a granted claim, or a question to be answered.
    package func isBusy(_ client: ClientID) -> Bool { state.withLock { $0.table.isBusy(client) } }

    package func isGranted(_ id: ClaimID) -> Bool { state.withLock { $0.table.claims[id]?.phase == .granted } }

    /// Everything of a dead client ends; whoever waits in its name hears that it was cancelled.
    package func end(_ client: ClientID) {
        perform { state in
            let ids = state.waiters.keys.filter { state.table.client(of: $0) == client }
            for id in ids { Self.enqueue(.failure(.cancelled), of: id, &state) }
            return .clientDied(client)
        }
    }

    package func snapshot() -> ClaimSnapshot {
        let now = start.duration(to: clock.now)
        return state.withLock { $0.table.snapshot(at: now) }
    }
}
