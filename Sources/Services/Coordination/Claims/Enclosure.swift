/// What can not go on before a request ends, as the library of its client knows.
package enum Enclosure: Hashable, Sendable {
    /// Asked for inside the accessor of this claim.
    case claim(ClaimID)
    /// Asked for inside a callback of this presenter.
    case presenter(PresenterID)
}
