/// Whether an access may begin.
package enum AccessPermit: Sendable {
    /// It may, and `end` is to be called when it has been carried out.
    case now(end: @Sendable () -> Void)
    case later(any PendingPermit)
}
