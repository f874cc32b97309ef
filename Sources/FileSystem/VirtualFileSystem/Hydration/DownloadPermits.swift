/// Decides how much a program may have downloaded. Used only when an opened document lacks bytes on this device, and
/// under no lock.
package protocol DownloadPermits: Sendable {
    /// Returns the permit of a recently looked-up program, or of none; nil if it has to be looked up. Does not wait.
    ///
    /// - Parameter thread: The program's thread as the kernel numbers it; 0 if the daemon's PID namespace does not have
    ///   it.
    func known(_ thread: Int32) -> DownloadPermit?
    /// Looks the program up. May wait for the memory of its process, and so for bytes delivered to it by this mount:
    /// must not be called on a kernel request reader thread.
    func lookUp(_ thread: Int32) -> DownloadPermit
    /// Notes a watched program's reads of a placeholder after its close.
    func closed(_ reading: DownloadBreaker.Reading, by program: String)
}
