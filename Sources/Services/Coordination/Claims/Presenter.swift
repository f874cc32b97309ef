struct Presenter: Sendable {
    let id: PresenterID
    let registration: PresenterRegistration
    /// As it is now: follows moves.
    var key: ItemKey
    /// Not answered yet.
    var asks: Set<AskID> = []
    /// Left a question unanswered; no claim waits for it until it answers.
    var isSilent = false
}
