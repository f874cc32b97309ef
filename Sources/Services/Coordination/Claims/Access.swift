/// A request's item and the kind of access to it.
package struct Access: Hashable, Sendable {
    package enum Mode: Hashable, Sendable {
        case reading(ReadingOptions)
        /// A nil option is a plain update.
        case writing(WritingOption?)
        /// The daemon drops the local bytes. Presenters have a veto.
        case evicting
    }

    package let key: ItemKey
    package let mode: Mode
    /// The item's place when the access was requested. A replacing write stays at this place; a creating write falls
    /// back to it.
    package let place: ItemPlace?
    /// Whether the write creates the item again if it was deleted while the request waited.
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

    /// Whether the access never waits, nor delays any other claim.
    var isImmediate: Bool {
        if case .reading(let options) = mode { options.contains(.immediatelyAvailableMetadataOnly) } else { false }
    }

    var writingOption: WritingOption? {
        if case .writing(let option) = mode { option } else { nil }
    }

    var coversBelow: Bool { writingOption?.coversBelow ?? false }
}
