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
