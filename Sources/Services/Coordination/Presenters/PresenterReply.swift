package enum PresenterReply: Hashable, Sendable {
    case done
    /// The presenter failed; the text is the reason.
    case failed(String)
}
