package enum PermitOutcome: Sendable {
    /// The permit is granted; the caller calls `end` when the access has been carried out.
    case granted(end: @Sendable () -> Void)
    /// The permit was not granted in time.
    case timedOut
    case cancelled
}
