/// Decides what a program may have downloaded. Used only when bytes of a document that a program opens are not here, and under no lock.
package protocol DownloadPermits: Sendable {
    /// Returns the permit of a program that was looked up a short time ago, or of none; nil if it has to be looked up. Does not wait.
    ///
    /// - Parameter thread: The program's thread as the kernel numbers it; 0 if the daemon's PID namespace does not have it.
    func known(_ thread: Int32) -> DownloadPermit?
    /// Looks the program up. May wait for the memory of its process, and so for bytes that this mount delivers to it: must not be called on
    /// a thread that reads the kernel's requests.
    func lookUp(_ thread: Int32) -> DownloadPermit
    /// Notes what a watched program has read of a placeholder that it closed.
    func closed(_ reading: DownloadBreaker.Reading, by program: String)
}
