package import CloudModel

/// What a presenter has to do before an access may begin. It must answer.
package enum PresenterMessage: Hashable, Sendable {
    case relinquishToReader
    case relinquishToWriter
    case saveChanges
    case accommodateDeletion
    case accommodateSubitemDeletion(ItemKey)
    case accommodateEviction

    var callback: PresenterCallbacks {
        switch self {
        case .relinquishToReader: .relinquishToReader
        case .relinquishToWriter: .relinquishToWriter
        case .saveChanges: .saveChanges
        case .accommodateDeletion: .accommodateDeletion
        case .accommodateSubitemDeletion: .accommodateSubitemDeletion
        case .accommodateEviction: .accommodateEviction
        }
    }

    /// Comes back with a reacquire when the access is over.
    var isRelinquish: Bool { self == .relinquishToReader || self == .relinquishToWriter }
}

package enum PresenterAnswer: Hashable, Sendable {
    case done
    /// It could not; says why.
    case failed(String)
}

package enum VersionChange: Hashable, Sendable { case gained, lost, resolved }

/// What a presenter is told after the fact. Not answered. The paths are those of now.
package enum PresenterNotice: Hashable, Sendable {
    case changed
    /// The item, or a folder above it, has a new place.
    case moved
    /// The item, or a folder above it, was deleted without asking.
    case deleted
    case attributesChanged(UbiquityAttributes)
    case version(VersionID, VersionChange)
    case subitemAppeared(ItemNumber)
    /// With the place it left.
    case subitemMoved(ItemNumber, from: ItemPlace)
    case subitemChanged(ItemNumber)
    /// With the place it had.
    case subitemDeleted(ItemNumber, from: ItemPlace)
    case subitemVersion(ItemNumber, VersionID, VersionChange)

    package var callback: PresenterCallbacks {
        switch self {
        case .changed: .didChange
        case .moved: .didMove
        case .deleted: .accommodateDeletion
        case .attributesChanged: .didChangeAttributes
        case .version: .versions
        case .subitemAppeared: .subitemDidAppear
        case .subitemMoved: .subitemDidMove
        case .subitemChanged: .subitemDidChange
        case .subitemDeleted: .accommodateSubitemDeletion
        case .subitemVersion: .subitemVersions
        }
    }

    /// Says only that something is different: once is as good as twice.
    var isRepeatable: Bool {
        switch self {
        case .changed, .subitemChanged: true
        default: false
        }
    }
}
