/// Whether an access may begin.
package enum AccessPermit: Sendable {
    /// The access may begin now; the caller calls `end` when it has been carried out.
    case now(end: @Sendable () -> Void)
    case later(any PendingPermit)
}
