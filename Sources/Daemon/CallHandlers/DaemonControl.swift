package import DaemonProtocol
package import Maintenance

/// The daemon's functions for handlers, besides its device: its end, and its facts about the kernel and its settings.
package protocol DaemonControl: AnyObject, Sendable {
    /// The number of the kernel's requests since the mount, by the name of the operation.
    var requestCounts: [String: UInt64] { get }
    /// The number of the kernel's requests with running handlers.
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
    /// Compares the settings for the next start with the current configuration.
    ///
    /// - Parameter repair: Whether to rewrite differing settings.
    /// - Returns: The damage; nil if they are equal.
    func checkSettings(repair: Bool) throws -> Finding?
}
