/// A message on its way to a presenter.
package enum PresenterDelivery: Equatable, Sendable {
    /// The presenter has to answer once.
    case ask(AskID, [PresenterMessage])
    case reacquire(AskID)
    case notice(PresenterNotice)
}
