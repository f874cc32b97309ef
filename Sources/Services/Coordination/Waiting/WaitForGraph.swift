/// A graph of claims and their blockers. A cycle is a deadlock.
///
/// Holds only waiting claims. Edges keep their insertion order, so the same events give the same results.
struct WaitForGraph: Sendable {
    enum Node: Hashable, Sendable, CustomStringConvertible {
        case claim(ClaimID)
        case presenter(PresenterID)

        var description: String {
            switch self {
            case .claim(let claim): claim.description
            case .presenter(let presenter): presenter.description
            }
        }

        var claim: ClaimID? {
            if case .claim(let claim) = self { claim } else { nil }
        }

        var presenter: PresenterID? {
            if case .presenter(let presenter) = self { presenter } else { nil }
        }
    }

    private var waitsFor: [Node: [Node]] = [:]
    private var waitedForBy: [Node: [Node]] = [:]

    var isEmpty: Bool { waitsFor.isEmpty && waitedForBy.isEmpty }

    func targets(of node: Node) -> [Node] { waitsFor[node] ?? [] }
    func sources(of node: Node) -> [Node] { waitedForBy[node] ?? [] }
    func isWaiting(_ node: Node) -> Bool { waitsFor[node] != nil }

    /// Adds an edge.
    ///
    /// - Precondition: `node` does not wait for `other` yet.
    mutating func add(_ node: Node, waitsFor other: Node) {
        waitsFor[node, default: []].append(other)
        waitedForBy[other, default: []].append(node)
    }

    mutating func remove(_ node: Node, waitsFor other: Node) {
        Self.remove(other, from: &waitsFor[node])
        Self.remove(node, from: &waitedForBy[other])
    }

    /// Removes a node.
    ///
    /// - Returns: The claims waiting for it.
    mutating func remove(_ node: Node) -> [Node] {
        for other in waitsFor.removeValue(forKey: node) ?? [] { Self.remove(node, from: &waitedForBy[other]) }
        let sources = waitedForBy.removeValue(forKey: node) ?? []
        for source in sources { Self.remove(node, from: &waitsFor[source]) }
        return sources
    }

    private static func remove(_ node: Node, from list: inout [Node]?) {
        guard let index = list?.firstIndex(of: node) else { return }
        list?.remove(at: index)
        if list?.isEmpty == true { list = nil }
    }

    /// Returns the path from a node, over at least one edge, to any of the goals, both ends included; nil if there is
    /// none.
    func path(from start: Node, to goals: Set<Node>) -> [Node]? {
        guard waitsFor[start] != nil else { return nil }
        var cameFrom: [Node: Node] = [:]
        var pending = [start]
        while let node = pending.popLast() {
            for next in waitsFor[node] ?? [] {
                if goals.contains(next) { return Self.path(to: next, after: node, from: start, cameFrom) }
                guard next != start, cameFrom[next] == nil else { continue }
                cameFrom[next] = node
                pending.append(next)
            }
        }
        return nil
    }

    private static func path(to goal: Node, after last: Node, from start: Node, _ cameFrom: [Node: Node]) -> [Node] {
        var path = [goal, last]
        var node = last
        while node != start, let before = cameFrom[node] {
            path.append(before)
            node = before
        }
        return path.reversed()
    }
}
