/// An action that the caller of the table has to carry out, in the order given.
package enum ClaimAction: Equatable, Sendable {
    /// The accessor may run, with the items as they are now, one for each access.
    case grant(ClaimID, [ItemKey])
    case refuse(ClaimID, ClaimError)
    /// A granted claim has ended without its client: it was frozen for too long.
    case revoke(ClaimID, ClientID)
    /// The presenter has to answer once, after handling all of the messages in order.
    case ask(AskID, PresenterID, [PresenterMessage])
    /// The access that the presenter made way for is over.
    case reacquire(AskID, PresenterID)
    case notify(PresenterID, PresenterNotice)
    case report(ClaimReport)
}
