/// One thing on its way to a presenter.
package enum PresenterDelivery: Equatable, Sendable {
    /// To be answered once.
    case ask(AskID, [PresenterMessage])
    case reacquire(AskID)
    case notice(PresenterNotice)
}
