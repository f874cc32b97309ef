package import LocalMetadata

/// Decides whether a program may open an item now, given the programs with coordinated access. Called on the kernel
/// request reader threads, so it must not block.
package protocol AccessPermits: Sendable {
    /// Whether no program coordinates and permits are unnecessary. Costs one atomic load.
    var areFree: Bool { get }
    /// Requests a permit for a program opening a file, possibly without knowing about coordination.
    ///
    /// - Parameter thread: The program's thread, as the kernel numbers it.
    func requestOpen(of node: NodeID, isWriting: Bool, for thread: Int32) -> AccessPermit
}
