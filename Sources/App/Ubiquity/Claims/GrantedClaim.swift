struct GrantedClaim: Sendable {
    /// The items' current paths, in the order of the request.
    let paths: [String]
    /// The authority's number for the claim.
    let number: UInt64
    /// Whether all items are completely downloaded files, so that nothing has to be checked before reading.
    var isWhole = false
    /// Releases the claim, perhaps after waiting for the daemon. A failure means the claim had already ended.
    let finish: @Sendable () -> CoordinationFailure?
    /// Releases an unused claim. Does not wait, so the thread delivering outcomes may call it.
    let drop: @Sendable () -> Void
}
