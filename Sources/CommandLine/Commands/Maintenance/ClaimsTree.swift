import Basics
package import DaemonProtocol

/// A mount's claims and presenters, as a tree of the items' enclosing folders.
package struct ClaimsTree: Encodable {
    /// An item, or a folder on the way to an item.
    package struct Node: Encodable {
        let name: String
        var claims: [ClaimStatus] = []
        var presenters: [PresenterStatus] = []
        var transfers: [Transfer] = []
        var items: [Node] = []

        private enum CodingKeys: String, CodingKey { case name, claims, presenters, transfers, items }

        /// Omits empty fields.
        package func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(name, forKey: .name)
            if !claims.isEmpty { try container.encode(claims, forKey: .claims) }
            if !presenters.isEmpty { try container.encode(presenters, forKey: .presenters) }
            if !transfers.isEmpty { try container.encode(transfers, forKey: .transfers) }
            if !items.isEmpty { try container.encode(items, forKey: .items) }
        }
    }

    struct Transfer: Encodable {
        let direction: TransferStatus.Direction
        let percent: Double
        let completedBytes: UInt64
        let totalBytes: UInt64

        init(_ status: TransferStatus) {
            direction = status.direction
            let isDone = status.completedBytes >= status.totalBytes
            percent = isDone ? 100 : Double(status.completedBytes) / Double(status.totalBytes) * 100
            (completedBytes, totalBytes) = (status.completedBytes, status.totalBytes)
        }
    }

    private var root = Node(name: "")
    private var programs: [UInt64: String] = [:]
    private var presenters: [UInt64: String] = [:]

    package init(_ answer: ClaimsResponse) {
        for item in answer.items {
            change(item.path) { node in
                node.claims += item.claims
                node.presenters += item.presenters
            }
            for claim in item.claims { programs[claim.claim] = Self.who(claim.program, claim.pid) }
            for presenter in item.presenters {
                presenters[presenter.presenter] = Self.who(presenter.program, presenter.pid)
            }
        }
        for transfer in answer.transfers ?? [] { change(transfer.path) { $0.transfers.append(Transfer(transfer)) } }
    }

    package func encode(to encoder: any Encoder) throws { try root.items.encode(to: encoder) }

    package var isEmpty: Bool { root.items.isEmpty }

    private mutating func change(_ path: MountPath, _ body: (inout Node) -> Void) {
        let names = path.components.map { String(decoding: $0, as: UTF8.self) }
        Self.change(&root, names[...], body)
    }

    /// Changes the node at a path. The recursion is bounded: the kernel limits a path to some 2,000 components.
    private static func change(_ node: inout Node, _ names: ArraySlice<String>, _ body: (inout Node) -> Void) {
        guard let name = names.first else { return body(&node) }
        let index = node.items.firstIndex { $0.name == name } ?? node.items.endIndex
        if index == node.items.endIndex { node.items.append(Node(name: name)) }
        change(&node.items[index], names.dropFirst(), body)
    }

    // MARK: Text

    /// A line for each item, and below it a line for each holder, waiter, presenter and transfer.
    package var lines: [String] { root.items.flatMap { lines($0, indentation: "  ") } }

    private func lines(_ node: Node, indentation: String) -> [String] {
        let inner = indentation + "  "
        let own = node.transfers.map(line) + node.claims.map(line) + node.presenters.map(line)
        return [indentation + printable(node.name)] + own.map { "\(inner)· \($0)" }
            + node.items.flatMap { lines($0, indentation: inner) }
    }

    private static func who(_ program: String, _ pid: Int32) -> String { "\(printable(program)) (pid \(pid))" }

    private func line(_ transfer: Transfer) -> String {
        "\(transfer.direction.rawValue): \(Int(transfer.percent)) % of \(ByteCount(transfer.totalBytes))"
    }

    private func line(_ presenter: PresenterStatus) -> String {
        let questions = presenter.unanswered == 1 ? "a question" : "\(presenter.unanswered) questions"
        let state =
            presenter.isSilent ? ", does not answer" : presenter.unanswered > 0 ? ", has \(questions) to answer" : ""
        return "presenter \(presenter.presenter): \(Self.who(presenter.program, presenter.pid)) shows it\(state)"
    }

    private func line(_ claim: ClaimStatus) -> String {
        let who = Self.who(claim.program, claim.pid) + (claim.isStopped ? ", stopped" : "")
        let since = "for \(Int(clamping: claim.seconds)) s"
        return switch claim.stage {
        case .granted: "claim \(claim.claim): \(who) \(claim.mode == .read ? "reads" : "writes") \(since)"
        case .asking:
            "claim \(claim.claim): \(who) has waited \(since) for presenters, to \(claim.mode.rawValue)"
                + list("", "presenter", claim.waitsForPresenters ?? [], presenters)
        case .waiting:
            "claim \(claim.claim): \(who) has waited \(since) to \(claim.mode.rawValue)"
                + list(" behind", "claim", claim.waitsFor, programs)
        }
    }

    private func list(_ preposition: String, _ noun: String, _ numbers: [UInt64], _ names: [UInt64: String]) -> String {
        guard !numbers.isEmpty else { return "" }
        let named = numbers.map { number in "\(noun) \(number)" + (names[number].map { " of \($0)" } ?? "") }
        return ",\(preposition) \(named.joined(separator: ", "))"
    }
}
