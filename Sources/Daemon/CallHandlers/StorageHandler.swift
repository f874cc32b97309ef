import Basics
import CloudModel
import CloudStorage
import ControlServer
import DaemonProtocol
import LocalMetadata
import Maintenance
import Sync

struct StorageHandler: NounHandler {
    let device: MountedDevice

    func register(in router: inout CallRouter) {
        router.on(storage)
    }

    /// Returns the space used by each container, with each folder of a program's own data, and the use of the cloud's
    /// space.
    func storage(_ request: StorageRequest) async throws -> StorageResponse {
        let containers = try await blocking { [self] in
            try device.metadata.read { transaction in
                let containers = try transaction.containers().filter { try transaction.local.isShown($0) }
                return try containers.map { try storage(of: $0, transaction) }
            }
        }
        let isCollected = device.engine.context.backend.facet((any ChunkCollecting).self) != nil
        do {
            return StorageResponse(
                containers: containers, cloud: try await use(listing: request.list), isCollectedByDevices: isCollected)
        } catch is CancellationError { throw CancellationError() } catch {
            return StorageResponse(
                containers: containers, failure: CollectHandler.failure(error), isCollectedByDevices: isCollected)
        }
    }

    /// Returns the use of the cloud's space; nil if it requires listing the cloud.
    private func use(listing: Bool) async throws -> CloudUseReport? {
        let context = device.engine.context
        if let cloud = context.backend.facet((any UseReporting).self) { return try await cloud.use() }
        guard listing, let cloud = context.backend.facet((any ChunkCollecting).self) else { return nil }
        let containers = try await blocking { [self] in
            try device.metadata.read { try $0.containers().filter(\.isInCloud) }
        }
        var parts = CloudUse()
        for container in containers { parts += try await CloudUseCount(context, cloud, container).use() }
        return CloudUseReport(parts: parts)
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
