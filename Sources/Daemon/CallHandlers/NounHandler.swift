import CloudModel
import ControlServer
import DaemonProtocol
import LocalMetadata

/// Handles the calls about a noun, with the parts of the daemon required for them.
protocol NounHandler: Sendable {
    var device: MountedDevice { get }

    /// Registers each call of this handler.
    func register(in router: inout CallRouter)
}

extension NounHandler {
    var configuration: MountConfiguration { device.configuration }

    func blocking<T: Sendable>(_ work: @escaping @Sendable () throws -> T) async throws -> T {
        try await device.blocking(work)
    }

    func item(at path: MountPath) throws -> LocalItem? { try device.item(at: path) }
    func document(at path: MountPath) throws -> LocalItem { try device.document(at: path) }
    func items(at path: MountPath) throws -> [LocalItem] { try device.items(at: path) }

    func path(of item: LocalItem, _ transaction: MetadataTransaction) throws -> MountPath {
        try device.path(of: item, transaction)
    }
}
