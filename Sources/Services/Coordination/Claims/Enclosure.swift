/// The caller that cannot continue before a request ends, as declared by the client's library.
package enum Enclosure: Hashable, Sendable {
    /// The request came from inside this claim's accessor.
    case claim(ClaimID)
    /// The request came from inside this presenter's callback.
    case presenter(PresenterID)
}
