/// A request, from its arrival to its end.
///
/// A granted claim is a lease: its holder loses it when stopped for longer than ``ClaimBounds/frozenHolder``, and when
/// it dies.
struct Claim: Sendable {
    enum Phase: Sendable {
        /// The claim waits for earlier claims.
        case blocked
        /// The claim waits for presenters to make way. Later claims wait for it as if it were granted.
        case asking
        case granted
    }

    /// An access's place in the tree.
    struct Hold: Sendable {
        let access: Access
        /// The current key: changes when the item is created, deleted or replaced.
        var key: ItemKey
        /// The relevant item for conflicts: the outermost package around `key`, or `key`.
        var unit: ItemKey
    }

    struct Notice: Hashable, Sendable {
        let presenter: PresenterID
        let notice: PresenterNotice
    }

    let id: ClaimID
    let request: ClaimRequest
    /// The claim's place in the queue: earlier claims have priority.
    let order: UInt64
    let since: Duration
    var grantedAt: Duration?
    var holds: [Hold] = []
    var phase = Phase.blocked
    /// Whether it has waited for another claim, so that its conflicts may have changed since they were computed.
    var hasWaited = false
    /// Questions for which the claim still waits.
    var awaited: Set<AskID> = []
    /// All questions on behalf of the claim, including answered ones.
    var asks: [AskID] = []
    /// Notices to send when the claim ends: presenters are not notified of half of a change.
    var notices: [Notice] = []
    private var noticed: Set<Notice> = []

    init(_ id: ClaimID, _ request: ClaimRequest, order: UInt64, since: Duration) {
        self.id = id
        self.request = request
        self.order = order
        self.since = since
    }

    var node: WaitForGraph.Node { .claim(id) }

    var enclosure: WaitForGraph.Node? {
        switch request.enclosure {
        case .claim(let claim): .claim(claim)
        case .presenter(let presenter): .presenter(presenter)
        case nil: nil
        }
    }

    /// The presenters that may be waiting for this claim before they answer, whether or not declared by their client.
    var overtakesForSakeOf: Set<WaitForGraph.Node> {
        var nodes: Set<WaitForGraph.Node> = []
        if let enclosure { nodes.insert(enclosure) }
        if let presenter = request.presenter { nodes.insert(.presenter(presenter)) }
        return nodes
    }

    mutating func keep(_ notice: Notice) {
        guard !notice.notice.isRepeatable || noticed.insert(notice).inserted else { return }
        notices.append(notice)
    }
}
