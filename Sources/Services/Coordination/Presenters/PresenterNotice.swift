package import CloudModel

/// Notifies a presenter of what has happened. Has no answer. It has what the callback's parameters are made of; the paths are the present ones.
package struct PresenterNotice: Hashable, Sendable {
    package let callback: PresenterCallback
    /// Nil for the presented item; the place that a deleted subitem had.
    package let subitem: ItemKey?
    /// The place that the subitem left.
    package let from: ItemPlace?
    package let version: VersionID?
    package let attributes: UbiquityAttributes?

    package init(
        _ callback: PresenterCallback, subitem: ItemKey? = nil, from: ItemPlace? = nil, version: VersionID? = nil,
        attributes: UbiquityAttributes? = nil
    ) {
        self.callback = callback
        self.subitem = subitem
        self.from = from
        self.version = version
        self.attributes = attributes
    }

    /// Says only that something is different: once is as good as twice.
    package var isRepeatable: Bool { callback == .didChange || callback == .subitemDidChange }
}

extension PresenterNotice {
    package static let changed = PresenterNotice(.didChange)
    /// The item, or a folder above it, has a new place.
    package static let moved = PresenterNotice(.didMove)
    /// The item, or a folder above it, was deleted without asking.
    package static let deleted = PresenterNotice(.accommodateDeletion)

    package static func attributesChanged(_ attributes: UbiquityAttributes) -> PresenterNotice {
        PresenterNotice(.didChangeUbiquityAttributes, attributes: attributes)
    }

    package static func version(_ version: VersionID, _ change: VersionChange) -> PresenterNotice {
        let callback: PresenterCallback =
            switch change {
            case .gained: .didGainVersion
            case .lost: .didLoseVersion
            case .resolved: .didResolveConflict
            }
        return PresenterNotice(callback, version: version)
    }

    package static func subitemAppeared(_ item: ItemNumber) -> PresenterNotice {
        PresenterNotice(.subitemDidAppear, subitem: .item(item))
    }

    /// - Parameter place: The place that it left.
    package static func subitemMoved(_ item: ItemNumber, from place: ItemPlace) -> PresenterNotice {
        PresenterNotice(.subitemDidMove, subitem: .item(item), from: place)
    }

    package static func subitemChanged(_ item: ItemNumber) -> PresenterNotice {
        PresenterNotice(.subitemDidChange, subitem: .item(item))
    }

    /// - Parameter place: The place that it had.
    package static func subitemDeleted(from place: ItemPlace) -> PresenterNotice {
        PresenterNotice(.accommodateSubitemDeletion, subitem: .vacant(place))
    }

    package static func subitemVersion(
        _ item: ItemNumber, _ version: VersionID, _ change: VersionChange
    ) -> PresenterNotice {
        let callback: PresenterCallback =
            switch change {
            case .gained: .subitemDidGainVersion
            case .lost: .subitemDidLoseVersion
            case .resolved: .subitemDidResolveConflict
            }
        return PresenterNotice(callback, subitem: .item(item), version: version)
    }
}
