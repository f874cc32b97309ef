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
        /// The row has other bytes than were written.
        case brokenSeal
        case numbering
        /// A table is missing, or is defined otherwise than this version defines it.
        case schema
    }

    package let kind: Kind
    /// The row of `local` that is wrong, where it is one.
    package let node: NodeID?
    /// What is wrong, a clause.
    package let what: String
}
