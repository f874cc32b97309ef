package import VirtualFileSystem

/// The kernel's view of processes.
package protocol ProcessSource: Sendable {
    /// - Returns: nil if the process has ended or may not be examined.
    func stat(of thread: Int32) -> ProcessStat?
    /// Whether the thread's I/O class is idle.
    func hasIdleIO(_ thread: Int32) -> Bool
    /// Returns everything about a process with known stat and idle state. Costs about a hundred system calls, and may
    /// wait for the memory of the process and of its parents.
    func facts(of stat: ProcessStat, hasIdleIO: Bool) -> ProcessFacts
}
