/// An action for the table's caller to carry out, in the order given.
package enum ClaimAction: Equatable, Sendable {
    /// The accessor may run, with the current items, one for each access.
    case grant(ClaimID, [ItemKey])
    case refuse(ClaimID, ClaimError)
    /// A granted claim has ended without its client: it was frozen for too long.
    case revoke(ClaimID, ClientID)
    /// The presenter has to answer once, after handling all of the messages in order.
    case ask(AskID, PresenterID, [PresenterMessage])
    /// The access for which the presenter made way is over.
    case reacquire(AskID, PresenterID)
    case notify(PresenterID, PresenterNotice)
    case report(ClaimReport)
}
