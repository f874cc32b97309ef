struct Presenter: Sendable {
    let id: PresenterID
    let registration: PresenterRegistration
    /// The current key: follows moves.
    var key: ItemKey
    /// Unanswered questions.
    var asks: Set<AskID> = []
    /// Whether it left a question unanswered; no claim waits for it until it answers.
    var isSilent = false
}
