import CloudModel
import ControlServer
import DaemonProtocol
import LocalMetadata

/// Handles the calls about one noun, with the parts of the daemon that they need.
protocol NounHandler: Sendable {
    var mounted: MountedDevice { get }

    /// Registers each call of this handler.
    func register(in router: inout CallRouter)
}

extension NounHandler {
    var device: Device { mounted.device }
    var configuration: DaemonConfiguration { mounted.configuration }

    func blocking<T: Sendable>(_ work: @escaping @Sendable () throws -> T) async throws -> T {
        try await mounted.blocking(work)
    }

    func item(at path: MountPath) throws -> LocalItem? { try mounted.item(at: path) }
    func document(at path: MountPath) throws -> LocalItem { try mounted.document(at: path) }
    func items(at path: MountPath) throws -> [LocalItem] { try mounted.items(at: path) }

    func path(of item: LocalItem, _ transaction: MetadataTransaction) throws -> MountPath {
        try mounted.path(of: item, transaction)
    }
}
