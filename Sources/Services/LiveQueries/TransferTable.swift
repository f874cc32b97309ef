package import LocalMetadata
package import VirtualFileSystem

/// How far the transfers are that were under way when it was made.
package struct TransferTable: Sendable {
    private let fractions: [NodeID: TransferFractions]

    package init(_ fractions: [NodeID: TransferFractions] = [:]) { self.fractions = fractions }

    var nodes: Set<NodeID> { Set(fractions.keys) }

    subscript(node: NodeID) -> TransferFractions { fractions[node] ?? TransferFractions() }
}
