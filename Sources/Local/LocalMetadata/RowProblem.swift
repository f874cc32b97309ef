/// A row that contradicts itself or a second row.
package struct RowProblem: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        /// An item with a missing folder: no path leads to it.
        case strandedItem
        case parentIsNoFolder
        case missingContainer
        case unknownToLog
        case missingContent
        case missingContainerFolder
        /// The row holds impossible values.
        case unreadable
        /// The row's bytes are not as written.
        case brokenSeal
        case numbering
        /// A table is missing, or its definition differs from this version's.
        case schema
    }

    package let kind: Kind
    /// The affected row of `local`, if any.
    package let node: NodeID?
    /// The problem, a clause.
    package let what: String
}
