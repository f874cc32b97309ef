package enum PermitOutcome: Sendable {
    /// To be ended when the access has been carried out.
    case come(end: @Sendable () -> Void)
    /// It did not come in time.
    case late
    case givenUp
}
