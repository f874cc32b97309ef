package import CloudModel

/// Notifies a presenter of an event. It has no answer. It carries the values for the callback's parameters; the paths
/// are current.
package struct PresenterNotice: Hashable, Sendable {
    package let callback: PresenterCallback
    /// The subitem, or a deleted subitem's former place; nil for the presented item.
    package let subitem: ItemKey?
    /// The former place of the subitem.
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

    /// Whether the notice only says that something changed, so that a second adds nothing.
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

    /// - Parameter place: Its former place.
    package static func subitemMoved(_ item: ItemNumber, from place: ItemPlace) -> PresenterNotice {
        PresenterNotice(.subitemDidMove, subitem: .item(item), from: place)
    }

    package static func subitemChanged(_ item: ItemNumber) -> PresenterNotice {
        PresenterNotice(.subitemDidChange, subitem: .item(item))
    }

    /// - Parameter place: Its former place.
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
