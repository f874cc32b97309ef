struct GrantedClaim: Sendable {
    /// The present paths of the items, in the order of the request.
    let paths: [String]
    /// The authority's number of the claim.
    let number: UInt64
    /// Whether all of the items are files that are completely downloaded, so that nothing has to be checked before they are read.
    var isWhole = false
    /// Releases the claim, perhaps after waiting for the daemon. A failure means that the claim had ended before.
    let finish: @Sendable () -> CoordinationFailure?
    /// Releases the claim before anything was done under it. Does not wait, so the thread that delivers outcomes may call it.
    let drop: @Sendable () -> Void
}
