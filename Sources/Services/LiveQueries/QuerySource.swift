package import Sync

/// The parts of a device, besides its database, required for live queries.
package protocol QuerySource: Sendable {
    var clock: any Clock<Duration> { get }
    /// The current transfers. Must not be read inside a transaction: the device may itself be reading the database.
    var transfers: TransferTable { get }
    var cloud: CloudState { get }
    /// Runs blocking database work off the cooperative pool.
    func blocking<T: Sendable>(_ work: @escaping @Sendable () throws -> T) async throws -> T
}
