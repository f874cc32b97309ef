package import CloudModel

/// A request to a presenter, to be handled before an access may begin. The presenter must answer.
package struct PresenterMessage: Hashable, Sendable {
    package let callback: PresenterCallback
    /// The subitem concerned; nil for the presented item.
    package let subitem: ItemKey?

    package init(_ callback: PresenterCallback, subitem: ItemKey? = nil) {
        self.callback = callback
        self.subitem = subitem
    }

    package static let relinquishToReader = PresenterMessage(.relinquishToReader)
    package static let relinquishToWriter = PresenterMessage(.relinquishToWriter)
    package static let saveChanges = PresenterMessage(.saveChanges)
    package static let accommodateDeletion = PresenterMessage(.accommodateDeletion)
    package static let accommodateEviction = PresenterMessage(.accommodateEviction)

    package static func accommodateSubitemDeletion(_ subitem: ItemKey) -> PresenterMessage {
        PresenterMessage(.accommodateSubitemDeletion, subitem: subitem)
    }

    /// Whether a reacquire follows when the access is over.
    var isRelinquish: Bool { self == .relinquishToReader || self == .relinquishToWriter }
}
