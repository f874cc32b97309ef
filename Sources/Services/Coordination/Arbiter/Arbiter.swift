import Basics

/// Grants coordinated access to files among a device's programs.
///
/// A program requests a *claim*: it reads or writes items, or waits until it may. ``ClaimTable`` makes the decisions as
/// a pure value: an event goes in, actions come out. The arbiter owns that table and handles its impure surroundings:
/// it serializes events from any thread, calls back, sends messages to presenters, and keeps the timer for all
/// deadlines.
///
/// Invariants:
/// - Each request has exactly one outcome, and each question to a presenter at most one valid answer.
/// - Outcomes and messages are delivered in the order of the table's decisions, by one thread at a time, without the
///   lock.
/// - There is at most one timer, for the table's earliest deadline.
///
/// The arbiter must not:
/// - be called inside a database transaction: its lock comes before the database's, as the table reads the tree under
///   it;
/// - wait for the network or a disk, or call a client while it holds its lock;
/// - decide: rules about the order of claims belong in ``ClaimTable``.
///
/// An outcome or a message may be delivered before the causing call returns.
package final class Arbiter<C: Clock>: Sendable where C.Duration == Duration {
    package typealias Outcome = Result<[ItemKey], ClaimError>

    struct State: Sendable {
        var table: ClaimTable
        var nextNumber: UInt64 = 0
        var waiters: [ClaimID: @Sendable (Outcome) -> Void] = [:]
        /// Deliveries decided but not carried out yet.
        var deliveries: [Delivery] = []
        /// Whether a thread is delivering; all others then only append.
        var isDelivering = false
        var alarm: (time: Duration, task: Task<Void, Never>)?
        var isClosed = false
    }

    enum Delivery: Sendable {
        case message(PresenterDelivery, PresenterID, ClientID)
        case outcome(@Sendable (Outcome) -> Void, Outcome)
        case revocation(ClaimID, ClientID)
        case report(ClaimReport)
    }

    let clock: C
    let start: C.Instant
    let tree: any ItemTree & Sendable
    let messenger: any ClaimMessenger
    let state: RankedMutex<State>

    package init(
        tree: any ItemTree & Sendable, messenger: any ClaimMessenger, clock: C, bounds: ClaimBounds = ClaimBounds()
    ) {
        self.tree = tree
        self.messenger = messenger
        self.clock = clock
        start = clock.now
        state = RankedMutex(.arbiter, State(table: ClaimTable(bounds: bounds)))
    }

    deinit { state.withLock { $0.alarm?.task.cancel() } }

    /// Stops the timer. The caller must have no clients left.
    package func close() {
        state.withLock { state in
            state.isClosed = true
            state.alarm?.task.cancel()
            state.alarm = nil
        }
    }

    // MARK: Requests

    /// Requests access. `outcome` is called exactly once.
    package func open(_ request: ClaimRequest, _ outcome: @escaping @Sendable (Outcome) -> Void) -> ClaimID {
        let id = ClaimID(makeNumber())
        open(id, request, outcome)
        return id
    }

    /// Requests access and waits for it; the caller has to call ``finish(_:of:)``. If the task is cancelled, throws `cancelled`, unless the
    /// claim was already granted.
    package func claim(_ request: ClaimRequest) async throws(ClaimError) -> (id: ClaimID, items: [ItemKey]) {
        let id = ClaimID(makeNumber())
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                open(id, request) { continuation.resume(returning: $0) }
                // The cancellation handler may have run before there was a request to cancel.
                if Task.isCancelled { cancel(id, of: request.client) }
            }
        } onCancel: {
            cancel(id, of: request.client)
        }
        return (id, try outcome.get())
    }

    /// Returns a number for ``open(_:_:_:)``, to be used once.
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

    /// Ends a claim, whether it waits or is granted.
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

    /// Removes a presenter. Returns false if the client has no such presenter.
    @discardableResult
    package func unregister(_ id: PresenterID, of client: ClientID) -> Bool {
        let isOwn = state.withLock { $0.table.client(of: id) == client }
        if isOwn { perform { _ in .unregistered(id) } }
        return isOwn
    }

    /// Returns a presenter's current item or name; nil if the presenter is gone.
    package func key(of presenter: PresenterID) -> ItemKey? { state.withLock { $0.table.presenters[presenter]?.key } }

    package func answer(_ ask: AskID, _ answer: PresenterReply, of client: ClientID) {
        perform { $0.table.client(of: ask) == client ? .answered(ask, answer) : nil }
    }

    // MARK: Everything else

    /// Handles a change of the tree, after its commit, or of a client's state. Requests, presenters and answers have
    /// separate methods.
    package func handle(_ event: ClaimEvent) {
        perform { _ in event }
    }

    /// Handles a change at an item or a name, after its commit. `event` receives the granted claim writing there, as
    /// the change's author; nil if there is none.
    package func handle(
        at key: ItemKey, in folder: ItemNumber? = nil, _ event: @Sendable (_ writer: ClaimID?) -> ClaimEvent
    ) {
        perform { state in event(state.table.writer(of: key, in: folder, in: tree)) }
    }

    /// Returns whether any client may be waiting for this client: it holds a granted claim, or has a question to
    /// answer.
    package func isBusy(_ client: ClientID) -> Bool { state.withLock { $0.table.isBusy(client) } }

    package func isGranted(_ id: ClaimID) -> Bool { state.withLock { $0.table.claims[id]?.phase == .granted } }

    /// Ends all claims and presenters of a disconnected client. Its waiting requests fail with `cancelled`.
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
