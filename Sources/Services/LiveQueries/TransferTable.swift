package import LocalMetadata
package import VirtualFileSystem

/// The progress of the transfers that were under way when the table was made.
package struct TransferTable: Sendable {
    private let fractions: [NodeID: TransferFractions]

    package init(_ fractions: [NodeID: TransferFractions] = [:]) { self.fractions = fractions }

    var nodes: Set<NodeID> { Set(fractions.keys) }

    package subscript(node: NodeID) -> TransferFractions { fractions[node] ?? TransferFractions() }
}
