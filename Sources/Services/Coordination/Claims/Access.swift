/// How an item is read; the bits of `NSFileCoordinator.ReadingOptions`.
package struct ReadingOptions: OptionSet, Hashable, Sendable {
    package let rawValue: UInt32
    package init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Presenters are not asked to save first.
    package static let withoutChanges = ReadingOptions(rawValue: 1 << 0)
    /// What a symbolic link leads to is read, not the link.
    package static let resolvesSymbolicLink = ReadingOptions(rawValue: 1 << 1)
    /// Granted at once, whoever writes; content may be missing or in the middle of a change.
    package static let immediatelyAvailableMetadataOnly = ReadingOptions(rawValue: 1 << 2)
    /// Ends when a snapshot has been taken.
    package static let forUploading = ReadingOptions(rawValue: 1 << 3)
}

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

/// One item of a request, and what is to be done to it.
package struct Access: Hashable, Sendable {
    package enum Mode: Hashable, Sendable {
        case reading(ReadingOptions)
        /// Nil is a plain update.
        case writing(WritingOption?)
        /// The daemon drops the local bytes. Presenters have a veto.
        case evicting
    }

    package let key: ItemKey
    package let mode: Mode
    /// Where the item was when asked for. A replacing write stays here; one that may create falls back to it.
    package let place: ItemPlace?
    /// The write makes the item anew if it went away while waiting.
    package let mayCreate: Bool

    package init(_ key: ItemKey, _ mode: Mode, place: ItemPlace? = nil, mayCreate: Bool = false) {
        self.key = key
        self.mode = mode
        self.place = place
        self.mayCreate = mayCreate
    }

    package var isReading: Bool {
        if case .reading = mode { true } else { false }
    }

    /// Never waits and holds up nobody.
    var isImmediate: Bool {
        if case .reading(let options) = mode { options.contains(.immediatelyAvailableMetadataOnly) } else { false }
    }

    var writingOption: WritingOption? {
        if case .writing(let option) = mode { option } else { nil }
    }

    var coversBelow: Bool { writingOption?.coversBelow ?? false }
}
