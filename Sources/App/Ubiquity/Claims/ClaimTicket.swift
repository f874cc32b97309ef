/// A request under way.
struct ClaimTicket: Sendable {
    /// Calls it off, unless it was granted.
    let cancel: @Sendable () -> Void
}
