package import LocalMetadata
package import VirtualFileSystem

/// A snapshot of the progress of current transfers.
package struct TransferTable: Sendable {
    private let fractions: [NodeID: TransferFractions]

    package init(_ fractions: [NodeID: TransferFractions] = [:]) { self.fractions = fractions }

    var nodes: Set<NodeID> { Set(fractions.keys) }

    package subscript(node: NodeID) -> TransferFractions { fractions[node] ?? TransferFractions() }
}
