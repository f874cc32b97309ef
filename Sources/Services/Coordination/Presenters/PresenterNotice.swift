package import CloudModel

/// Notifies a presenter of what has happened. Has no answer. The paths are the present ones.
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
