import Basics
import CloudModel
import ControlServer
import DaemonProtocol
import LocalMetadata

struct StorageHandler: NounHandler {
    let device: MountedDevice

    func register(in router: inout CallRouter) {
        router.on { (_: StorageRequest) in try await storage() }
    }

    /// Returns the space that each container uses, with each folder of a program's own data.
    func storage() async throws -> StorageResponse {
        try await blocking { [self] in
            try device.metadata.read { transaction in
                let containers = try transaction.containers().filter { try transaction.local.isShown($0) }
                return StorageResponse(containers: try containers.map { try storage(of: $0, transaction) })
            }
        }
    }

    private func storage(
        of container: LocalContainer, _ transaction: MetadataTransaction
    ) throws -> ContainerStorage {
        let sums = try transaction.local.storage(below: container.node)
        let areas = try sums.compactMap { sum -> StorageArea? in
            guard let item = try transaction.local.item(sum.node) else { return nil }
            return StorageArea(
                name: item.name.description, isDocuments: item.item == .documents, files: sum.files,
                localBytes: sum.localBytes, cloudBytes: sum.cloudBytes)
        }
        return ContainerStorage(
            name: container.name.text, folder: container.name.folderName,
            areas: areas.sorted { ($0.isDocuments ? 0 : 1, $0.name) < ($1.isDocuments ? 0 : 1, $1.name) },
            versionBytes: sums.reduce(try transaction.history.versionBytes(of: container.id)) {
                $0.saturatingSum($1.conflictBytes)
            })
    }
}
