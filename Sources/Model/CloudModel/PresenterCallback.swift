/// A presenter's callback; the names are those of `NSFilePresenter`, shortened. Messages contain the raw value. New
/// cases are only added at the end: sets in the library have a bit for each, in this order.
package enum PresenterCallback: String, Codable, Hashable, Sendable, CaseIterable {
    case relinquishToReader, relinquishToWriter, saveChanges, accommodateDeletion, accommodateSubitemDeletion
    case didMove, didChange, subitemDidAppear, subitemDidMove, subitemDidChange
    case accommodateEviction
    case didGainVersion, didResolveConflict, subitemDidGainVersion, subitemDidResolveConflict
    case didLoseVersion, subitemDidLoseVersion
    case didChangeUbiquityAttributes

    /// The parameters sent with a callback.
    package struct Parameters: OptionSet, Sendable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        /// The current path of the item or subitem, or the last path of a deleted one.
        package static let path = Parameters(rawValue: 1)
        /// The former path.
        package static let from = Parameters(rawValue: 2)
        package static let version = Parameters(rawValue: 4)
        /// The changed attributes.
        package static let attributes = Parameters(rawValue: 8)
    }

    /// The parameters required by the callback.
    package var parameters: Parameters {
        switch self {
        case .relinquishToReader, .relinquishToWriter, .saveChanges, .accommodateDeletion, .accommodateEviction: []
        case .didChange: []
        case .didMove, .subitemDidAppear, .subitemDidChange, .accommodateSubitemDeletion: .path
        case .subitemDidMove: [.path, .from]
        case .didGainVersion, .didResolveConflict, .didLoseVersion: .version
        case .subitemDidGainVersion, .subitemDidResolveConflict, .subitemDidLoseVersion: [.path, .version]
        case .didChangeUbiquityAttributes: .attributes
        }
    }

    /// Its index among all callbacks, for sets of them.
    package var position: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

extension Set<PresenterCallback> {
    package static let all = Set(PresenterCallback.allCases)
}
