/// What is to be done now, in this order.
package enum ClaimAction: Equatable, Sendable {
    /// The accessor may run, with the items as they are now, one for each access.
    case grant(ClaimID, [ItemKey])
    case refuse(ClaimID, ClaimError)
    /// A granted claim has ended without its client: it was frozen for too long.
    case revoke(ClaimID, ClientID)
    /// To be answered once, after all of the messages were handled in order.
    case ask(AskID, PresenterID, [PresenterMessage])
    /// The access that the presenter made way for is over.
    case reacquire(AskID, PresenterID)
    case notify(PresenterID, PresenterNotice)
    case report(ClaimReport)
}
