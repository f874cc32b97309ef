struct Presenter: Sendable {
    let id: PresenterID
    let registration: PresenterRegistration
    /// The present key: follows moves.
    var key: ItemKey
    /// Questions that it has not answered yet.
    var asks: Set<AskID> = []
    /// Whether it left a question unanswered; no claim waits for it until it answers.
    var isSilent = false
}
