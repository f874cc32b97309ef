/// The caller that cannot continue before a request ends, as declared by the library of its client.
package enum Enclosure: Hashable, Sendable {
    /// The request was made inside the accessor of this claim.
    case claim(ClaimID)
    /// The request was made inside a callback of this presenter.
    case presenter(PresenterID)
}
