/// Decides which claim may read or write what, and when: an event goes in, actions come out.
///
/// A claim first waits for earlier conflicting claims, then asks the presenters, then is granted. Readers share an
/// item, a writer has it alone; a claim is overtaken only by claims it waits for, so none starves. A claim acquires all
/// its items together: while waiting, it holds nothing. The table knows no clock, socket or file.
///
/// Invariants: no two granted claims conflict unless an item moved under them; the wait-for graph has no cycle; a claim
/// waiting for a presenter or a frozen client has an alarm set.
package struct ClaimTable: Sendable {
    let bounds: ClaimBounds
    var live = LiveTree()
    var claims: [ClaimID: Claim] = [:]
    var presenters: [PresenterID: Presenter] = [:]
    var clients: [ClientID: Client] = [:]
    var asks: [AskID: Ask] = [:]
    var graph = WaitForGraph()
    var alarms = AlarmQueue()
    var now = Duration.zero
    /// Claims possibly able to continue.
    var ready: [ClaimID] = []
    private var actions: [ClaimAction] = []
    /// The item moved by the previous event: if that move replaced another item, its presenters already know of it.
    private var justMoved: ItemNumber?
    private var nextOrder: UInt64 = 0
    private var nextAsk: UInt64 = 0

    package init(bounds: ClaimBounds = ClaimBounds()) { self.bounds = bounds }

    /// When to send ``ClaimEvent/ticked`` at the latest.
    package var nextWake: Duration? { alarms.next }

    /// Returns the client of a claim; nil if the claim has ended.
    package func client(of claim: ClaimID) -> ClientID? { claims[claim]?.request.client }
    /// Returns the client expected to answer; nil if the question does not exist.
    package func client(of ask: AskID) -> ClientID? {
        asks[ask].flatMap { presenters[$0.presenter]?.registration.client }
    }
    package func client(of presenter: PresenterID) -> ClientID? { presenters[presenter]?.registration.client }

    /// - Parameters:
    ///   - now: The time since any fixed moment; never decreases.
    ///   - tree: The items as they are after the event.
    package mutating func handle(_ event: ClaimEvent, now: Duration, in tree: some ItemTree) -> [ClaimAction] {
        self.now = now
        let moved = justMoved
        justMoved = nil
        switch event {
        case .requested(let id, let request): open(id, request, in: tree)
        case .cancelled(let id): cancel(id)
        case .finished(let id): finish(id)
        case .answered(let ask, let answer): take(answer, to: ask)
        case .registered(let id, let registration): register(id, registration, in: tree)
        case .unregistered(let id): unregister(id)
        case .changed(let item, let claim): notifyOfChange(of: item, by: claim, in: tree)
        case .created(let item, let place, let claim): create(item, at: place, by: claim, in: tree)
        case .moved(let item, let from, let to, let claim):
            move(item, from: from, to: to, by: claim, in: tree)
            justMoved = item
        case .replaced(let old, let new, let claim):
            replace(old, with: new, wasMoved: moved == new, by: claim, in: tree)
        case .setAside(let item, let place): setAside(item, from: place, in: tree)
        case .deleted(let item, let place, let claim): delete(item, from: place, by: claim, in: tree)
        case .attributesChanged(let item, let attributes): notify(item, of: attributes)
        case .versionChanged(let item, let version, let change): notify(item, of: version, change, in: tree)
        case .clientFroze(let client): freeze(client)
        case .clientThawed(let client): thaw(client)
        case .clientDied(let client): end(client)
        case .ticked: break
        }
        goOn()
        soundAlarms()
        goOn()
        defer { actions.removeAll(keepingCapacity: true) }
        return actions
    }

    mutating func emit(_ action: ClaimAction) { actions.append(action) }

    mutating func makeOrder() -> UInt64 {
        nextOrder += 1
        return nextOrder
    }

    mutating func makeAsk() -> AskID {
        nextAsk += 1
        return AskID(nextAsk)
    }

    /// Advances waiting claims in the order of arrival, as long as any can continue.
    mutating func goOn() {
        while !ready.isEmpty {
            let batch = ready.compactMap { claims[$0] }.sorted { $0.order < $1.order }.map(\.id)
            ready.removeAll()
            for id in batch { advance(id) }
        }
    }
}
