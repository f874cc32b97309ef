/// An unfinished request.
struct ClaimTicket: Sendable {
    /// Cancels the request, unless it was granted.
    let cancel: @Sendable () -> Void
}
