package import LocalMetadata

/// Who may open an item now, beside programs that coordinate their accesses. Called on threads that read the kernel's requests: must not wait.
package protocol AccessPermits: Sendable {
    /// One load: nobody coordinates, so nobody has to ask.
    var areFree: Bool { get }
    /// Asks for a program that opens a file and may know nothing of coordination.
    /// - Parameter thread: Of the program, as the kernel names it.
    func ask(toOpen node: NodeID, isWriting: Bool, for thread: Int32) -> AccessPermit
}

/// Whether an access may begin.
package enum AccessPermit: Sendable {
    /// It may, and `end` is to be called when it has been carried out.
    case now(end: @Sendable () -> Void)
    case later(any PendingPermit)
}

/// A turn that has not come. Given up unless somebody listens.
package protocol PendingPermit: Sendable {
    /// Tells once, on any thread and perhaps before this returns, what became of it. Whoever is told must not do more than pass it on.
    func whenOver(_ tell: @escaping @Sendable (PermitOutcome) -> Void)
    /// Nobody waits any more: it is told that it was given up, unless it has come by then.
    func giveUp()
}

package enum PermitOutcome: Sendable {
    /// To be ended when the access has been carried out.
    case come(end: @Sendable () -> Void)
    /// It did not come in time.
    case late
    case givenUp
}
