@testable import Coordination

extension ClaimTable {
    /// Returns the violated invariants of the table; the result must always be empty.
    func violations() -> [String] {
        var found = live.violations()
        for node in claims.values.map(\.node) + presenters.keys.map(WaitForGraph.Node.presenter) {
            if let path = graph.path(from: node, to: [node]) { found.append("a cycle: \(path)") }
        }
        for claim in claims.values where claim.phase != .granted && graph.targets(of: claim.node).isEmpty {
            let isFrozen = clients[claim.request.client]?.frozenSince != nil
            if !isFrozen { found.append("\(claim.id) waits for no claim") }
        }
        for (id, ask) in asks {
            if presenters[ask.presenter] == nil, !ask.isAnswered { found.append("\(id) of a presenter that is gone") }
            if claims[ask.claim] == nil, !ask.isClaimOver { found.append("\(id) of a claim that is gone") }
        }
        if !ready.isEmpty { found.append("a claim is left ready") }
        return found
    }

    /// Whether the table keeps nothing of ended claims and presenters.
    var isEmpty: Bool {
        claims.isEmpty && presenters.isEmpty && clients.isEmpty && asks.isEmpty && graph.isEmpty && live.count == 0
    }
}

extension LiveTree {
    fileprivate func violations() -> [String] {
        var found: [String] = []
        var reached = 0
        var pending = roots
        while let position = pending.popLast() {
            reached += 1
            let node = self[position]
            let children = children(of: position)
            pending += children
            let stances = node.stances.count + children.reduce(0) { $0 + self[$1].stancesWithin }
            let presenters = node.presenters.count + children.reduce(0) { $0 + self[$1].presentersWithin }
            if (stances, presenters) != (node.stancesWithin, node.presentersWithin) {
                found.append("\(node.key) counts wrongly")
            }
            if node.isEmpty { found.append("\(node.key) is kept for nothing") }
            if children.contains(where: { self[$0].parent != position }) {
                found.append("\(node.key) has a strange child")
            }
        }
        if reached != count { found.append("\(count - reached) nodes are not reached from the root") }
        return found
    }
}
