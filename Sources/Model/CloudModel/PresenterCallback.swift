/// What a presenter can be sent; the names of `NSFilePresenter`, shortened. In messages it has its raw value. Cases are only added, at the end:
/// sets of the library have a bit for each, in this order.
package enum PresenterCallback: String, Codable, Hashable, Sendable, CaseIterable {
    case relinquishToReader, relinquishToWriter, saveChanges, accommodateDeletion, accommodateSubitemDeletion
    case didMove, didChange, subitemDidAppear, subitemDidMove, subitemDidChange
    case accommodateEviction
    case didGainVersion, didResolveConflict, subitemDidGainVersion, subitemDidResolveConflict
    case didLoseVersion, subitemDidLoseVersion
    case didChangeUbiquityAttributes

    /// What is sent with a callback.
    package struct Parameters: OptionSet, Sendable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        /// Where the item or the subitem is now, or was, if it was deleted.
        package static let path = Parameters(rawValue: 1)
        /// Where it was before.
        package static let from = Parameters(rawValue: 2)
        package static let version = Parameters(rawValue: 4)
        /// The attributes that changed.
        package static let attributes = Parameters(rawValue: 8)
    }

    /// What it can not be without.
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

    /// Its place among all callbacks, for sets of them.
    package var position: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

extension Set<PresenterCallback> {
    package static let all = Set(PresenterCallback.allCases)
}
