/// The purpose of a write; the bits of `NSFileCoordinator.WritingOptions`, of which at most one is set.
package enum WritingOption: UInt32, CaseIterable, Hashable, Sendable {
    case deleting = 1
    case moving = 2
    /// Presenters save first.
    case merging = 4
    /// Replaces the current item at this place, if any. Does not follow a move.
    case replacing = 8
    case contentIndependentMetadataOnly = 16

    /// Whether the write removes a folder's content, so that its claims and presenters have to agree.
    var coversBelow: Bool { self == .deleting || self == .moving || self == .replacing }
    /// Whether the write ends the current item.
    var endsItem: Bool { self == .deleting || self == .replacing }
}
