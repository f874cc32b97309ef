/// One request on its way from asking to its end.
struct Claim: Sendable {
    enum Phase: Sendable {
        /// Others that came earlier are not through yet.
        case blocked
        /// Presenters make way. What comes later waits for this claim, as if it were held.
        case asking
        case granted
    }

    /// Where one access stands in the tree.
    struct Hold: Sendable {
        let access: Access
        /// As it is now: changes when the item is made, deleted, or another takes its place.
        var key: ItemKey
        /// The item that counts: the outermost package around `key`, or `key`.
        var unit: ItemKey
    }

    struct Notice: Hashable, Sendable {
        let presenter: PresenterID
        let notice: PresenterNotice
    }

    let id: ClaimID
    let request: ClaimRequest
    /// Earlier claims go first.
    let order: UInt64
    let since: Duration
    var grantedAt: Duration?
    var holds: [Hold] = []
    var phase = Phase.blocked
    /// Waited for another claim, so its conflicts may have changed since they were computed.
    var hasWaited = false
    /// Questions whose answers it still waits for.
    var awaited: Set<AskID> = []
    /// Everything asked for it, with presenters that have given way.
    var asks: [AskID] = []
    /// Sent when the claim ends: presenters are not notified of half of a change.
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

    /// The presenters that may be waiting for this claim before they answer, whether they said so or not.
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
