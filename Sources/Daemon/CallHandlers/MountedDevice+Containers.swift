import CloudModel
import DaemonProtocol
import Glibc
import LocalMetadata
import Mount
import VirtualFileSystem

/// Looks up containers by the names in requests.
extension MountedDevice {
    private func name(_ text: String) throws(DaemonFailure) -> ContainerName {
        guard let name = ContainerName(text) else {
            throw DaemonFailure(.invalidRequest, "no container can have the name \(text)")
        }
        return name
    }

    func store(_ text: String) throws -> ContainerID? {
        let name = try name(text)
        return try metadata.read { try $0.container(named: name)?.id }
    }

    /// Returns a container's store, created if it does not exist.
    func made(_ text: String) throws -> ContainerID {
        if let known = try store(text) { return known }
        let name = try name(text)
        do {
            let caller = Caller(user: geteuid(), group: getegid())
            _ = try files.makeFolder(
                Array(name.folderName.utf8), in: .root, permissions: 0o755, caller: caller)
        } catch {
            // A concurrent request may have created it.
            guard let known = try store(text) else { throw error }
            return known
        }
        invalidator.invalidate(nodes: [.root], entries: [(.root, Array(name.folderName.utf8))])
        guard let made = try store(text) else { throw DaemonFailure(.failed, "the container \(text) was not created") }
        return made
    }

    /// Returns a container's package types declared on this device, whether or not the declaration is in the log.
    func declaredTypes(of container: ContainerID) throws -> Set<String> {
        try metadata.read { transaction in
            guard let root = try transaction.local.item(.root, in: container) else { return [] }
            return PackageTypes(declaredBy: root.attributes).declared
        }
    }
}
