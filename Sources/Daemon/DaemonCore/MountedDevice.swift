import Basics
import CloudModel
import DaemonProtocol
import LocalMetadata
import Sync
import Transfers
import VirtualFileSystem

/// A device with the configuration of its mount; resolves the paths of requests.
struct MountedDevice: Sendable {
    let device: Device
    let configuration: DaemonConfiguration

    /// Converts errors of the database into failures that name the state directory.
    func describing<T>(_ body: () async throws -> T) async throws -> T {
        do { return try await body() } catch let error as MetadataError {
            throw DaemonFailure(error, path: configuration.stateDirectory)
        }
    }

    /// Runs work on the database off the cooperative pool.
    func blocking<T: Sendable>(_ work: @escaping @Sendable () throws -> T) async throws -> T {
        try await device.engine.context.transfers.pool.run { () throws(any Error) -> T in try work() }
    }

    // MARK: Paths

    /// Returns the item at a path; nil for the mount's root.
    func item(at path: MountPath) throws -> LocalItem? {
        do { return try device.files.item(at: path.components.map(Array.init)) } catch let error as Errno {
            throw DaemonFailure(
                .notFound, "it does not exist", path: path.description,
                advice: "`ubiquity deleted` lists deleted items.",
                errno: error.code)
        }
    }

    /// Returns the item at a path that must not be the root.
    func document(at path: MountPath) throws -> LocalItem {
        guard let item = try item(at: path) else {
            throw DaemonFailure(
                .invalidRequest, "the mount itself is not an item", path: configuration.mountPoint,
                advice: "Name a container or an item in it.")
        }
        return item
    }

    /// Returns the items that a path stands for: every container for the root.
    func items(at path: MountPath) throws -> [LocalItem] {
        if let item = try item(at: path) { return [item] }
        // The trash beside the containers exists on this device only.
        return try device.metadata.read {
            try $0.local.readableChildren(of: .root, limit: 10_000).items.filter { $0.item == .root }
        }
    }

    func path(of item: LocalItem, _ transaction: MetadataTransaction) throws -> MountPath {
        let names = try transaction.local.path(of: item.node).map(\.bytes)
        return try MountPath(bytes: Array(names.joined(separator: [UInt8(ascii: "/")])))
    }
}
