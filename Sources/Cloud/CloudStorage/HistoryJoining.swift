package import CloudModel

/// A cloud of files or objects, where an external program can mix two histories into a single log.
package protocol HistoryJoining: CloudBackend {
    /// Repairs a log with mixed histories: recomputes all digests from the first entry that does not follow its
    /// predecessor. Does nothing to an intact log. Repeated after an interruption, it continues.
    ///
    /// Devices that have read either history beyond that entry no longer find their position, and have to be reset.
    func joinHistories(of container: ContainerName) async throws
}
