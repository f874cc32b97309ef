package enum PresenterReply: Hashable, Sendable {
    case done
    /// It could not; says why.
    case failed(String)
}
