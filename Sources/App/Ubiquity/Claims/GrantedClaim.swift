struct GrantedClaim: Sendable {
    /// Where the items are now, in the order asked for.
    let paths: [String]
    /// The authority's number of it.
    let number: UInt64
    /// All of the items are files that are here with all their bytes: nothing has to be looked at before they are read.
    var isWhole = false
    /// Ends it, perhaps after a wait for the daemon. A failure says that it had ended before.
    let finish: @Sendable () -> CoordinationFailure?
    /// Ends it before anything was done under it. Does not wait, so the thread that delivers outcomes may call it.
    let drop: @Sendable () -> Void
}
