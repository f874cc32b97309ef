package import CloudModel

/// The callbacks of `NSFilePresenter` that a presenter has. Nothing else is sent to it.
package struct PresenterCallbacks: OptionSet, Hashable, Sendable {
    package let rawValue: UInt32
    package init(rawValue: UInt32) { self.rawValue = rawValue }

    package static let relinquishToReader = PresenterCallbacks(rawValue: 1 << 0)
    package static let relinquishToWriter = PresenterCallbacks(rawValue: 1 << 1)
    package static let saveChanges = PresenterCallbacks(rawValue: 1 << 2)
    package static let accommodateDeletion = PresenterCallbacks(rawValue: 1 << 3)
    package static let accommodateEviction = PresenterCallbacks(rawValue: 1 << 4)
    package static let accommodateSubitemDeletion = PresenterCallbacks(rawValue: 1 << 5)
    package static let didMove = PresenterCallbacks(rawValue: 1 << 6)
    package static let didChange = PresenterCallbacks(rawValue: 1 << 7)
    package static let didChangeAttributes = PresenterCallbacks(rawValue: 1 << 8)
    package static let versions = PresenterCallbacks(rawValue: 1 << 9)
    package static let subitemDidAppear = PresenterCallbacks(rawValue: 1 << 10)
    package static let subitemDidMove = PresenterCallbacks(rawValue: 1 << 11)
    package static let subitemDidChange = PresenterCallbacks(rawValue: 1 << 12)
    package static let subitemVersions = PresenterCallbacks(rawValue: 1 << 13)

    package static let all = PresenterCallbacks(rawValue: 1 << 14 - 1)
}

/// Which ubiquity attributes of an item changed or are observed.
package struct UbiquityAttributes: OptionSet, Hashable, Sendable {
    package let rawValue: UInt64
    package init(rawValue: UInt64) { self.rawValue = rawValue }

    /// A fact of the document's state.
    package init(_ fact: DocumentFact) { self.init(rawValue: 1 << UInt64(fact.position)) }

    package static let isUbiquitous = UbiquityAttributes(rawValue: 1 << 60)
    package static let containerDisplayName = UbiquityAttributes(rawValue: 1 << 61)

    package static let all = UbiquityAttributes(rawValue: .max)
}

/// What a client says of a presenter when it adds it.
package struct PresenterRegistration: Sendable {
    package let client: ClientID
    package let key: ItemKey
    package let callbacks: PresenterCallbacks
    /// Accesses of this purpose are its own: it gets no messages of them.
    package let purpose: Purpose?
    package let observed: UbiquityAttributes

    package init(
        client: ClientID, key: ItemKey, callbacks: PresenterCallbacks = .all, purpose: Purpose? = nil,
        observed: UbiquityAttributes = .all
    ) {
        self.client = client
        self.key = key
        self.callbacks = callbacks
        self.purpose = purpose
        self.observed = observed
    }
}
