/// A row that contradicts another one, or itself.
package struct RowProblem: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        /// An item whose folder does not exist: no path leads to it.
        case strandedItem
        case parentIsNoFolder
        case missingContainer
        case unknownToLog
        case missingContent
        case missingContainerFolder
        /// The row holds values that no item can have.
        case unreadable
        /// The bytes of the row are not those that were written.
        case brokenSeal
        case numbering
        /// A table is missing, or its definition differs from that of this version.
        case schema
    }

    package let kind: Kind
    /// The affected row of `local`, if any.
    package let node: NodeID?
    /// What is wrong, a clause.
    package let what: String
}
