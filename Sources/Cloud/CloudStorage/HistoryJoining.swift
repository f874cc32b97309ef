package import CloudModel

/// A cloud of files or objects, in which another program can mix two histories of one log: entries of both then stand behind each other.
package protocol HistoryJoining: CloudBackend {
    /// Makes one history of a log whose entries do not follow each other: recomputes the digests of all entries behind the first that does
    /// not follow the one before it. Does nothing to an intact log. Repeated after an interruption, it continues.
    ///
    /// Devices that have read one of the two histories beyond that entry no longer find their position, and have to be reset.
    func joinHistories(of container: ContainerName) async throws
}
