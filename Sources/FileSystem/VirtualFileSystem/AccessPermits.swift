package import LocalMetadata

/// Decides whether a program may open an item now, beside programs that coordinate their accesses. Called on the threads that read the
/// kernel's requests, so it must not block.
package protocol AccessPermits: Sendable {
    /// Whether no program coordinates, so that no permit is needed. Costs one atomic load.
    var areFree: Bool { get }
    /// Requests a permit for a program that opens a file and may not know about coordination.
    ///
    /// - Parameter thread: The program's thread, as the kernel numbers it.
    func requestOpen(of node: NodeID, isWriting: Bool, for thread: Int32) -> AccessPermit
}
