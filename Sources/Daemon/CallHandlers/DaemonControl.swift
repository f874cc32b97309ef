package import DaemonProtocol
package import Maintenance

/// What handlers need of the daemon besides its device: its end, and what it knows of the kernel and of its settings.
package protocol DaemonControl: AnyObject, Sendable {
    /// The number of the kernel's requests since the mount, by the name of the operation.
    var requestCounts: [String: UInt64] { get }
    /// The number of the kernel's requests whose handlers are running.
    var requestsInProgress: UInt64 { get }
    /// How the kernel's requests arrive, and why; nil before the mount.
    var transport: String? { get }
    /// The levels of the daemon's log.
    var logLevels: LogLevels { get }
    /// Changes the levels of the log, for later starts too.
    func setLogLevels(_ levels: LogLevels) throws
    /// The shared databases of the device.
    var databases: any DatabaseCalls { get }
    /// Begins an orderly shutdown: the mount is removed, and pending uploads stay recorded.
    func stop()
    /// Begins a shutdown like ``stop()``; the next start rebuilds the state.
    func stopForReset()
    /// Begins a shutdown like ``stop()`` once ``stopToMove()`` is called; the next start moves to this cloud.
    func prepareMove(to cloud: CloudAddress)
    func stopToMove()
    /// Compares the settings for the next start with the configuration of this one.
    ///
    /// - Parameter repair: Whether to write settings again that differ.
    /// - Returns: The damage; nil if they are equal.
    func checkSettings(repair: Bool) throws -> Finding?
}
