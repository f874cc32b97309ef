/// What a write is for; the bits of `NSFileCoordinator.WritingOptions`, of which there is at most one.
package enum WritingOption: UInt32, CaseIterable, Hashable, Sendable {
    case deleting = 1
    case moving = 2
    /// Presenters save first.
    case merging = 4
    /// Whatever is at this place now. Does not follow a move.
    case replacing = 8
    case contentIndependentMetadataOnly = 16

    /// Takes away what is below a folder, so what is below has to agree.
    var coversBelow: Bool { self == .deleting || self == .moving || self == .replacing }
    /// Ends the item that is there now.
    var endsItem: Bool { self == .deleting || self == .replacing }
}
