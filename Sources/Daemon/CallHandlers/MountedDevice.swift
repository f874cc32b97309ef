import Basics
package import ClaimService
import CloudModel
import DaemonProtocol
package import KeyValues
package import LiveQueries
package import LocalMetadata
package import Mount
package import Sync
import Transfers
package import VersionFiles
package import VirtualFileSystem

/// The handlers' context: the parts of a device for carrying out requests, and the configuration of its mount. Resolves
/// the paths of requests.
package struct MountedDevice: Sendable {
    let metadata: MetadataDatabase
    let files: VirtualFileSystem
    let engine: SyncEngine
    let claims: ClaimService
    let queries: QueryService
    let querySource: any QuerySource
    let keyValues: KeyValueService
    let versionFiles: VersionFiles
    let invalidator: KernelInvalidator
    /// The programs currently refused placeholders.
    let refused: RefusedPrograms
    /// Records the request to download a file, or all files below a folder, and frees space for that if the disk is
    /// full. Returns the number of files and bytes.
    let requestDownload: @Sendable (LocalItem) throws -> (items: Int, bytes: UInt64)
    /// Switches the cloud off (true) or on for this device, and records that.
    let setOffline: @Sendable (Bool) throws -> Void
    let identity: DeviceIdentity
    let configuration: MountConfiguration

    package init(
        metadata: MetadataDatabase, files: VirtualFileSystem, engine: SyncEngine, claims: ClaimService,
        queries: QueryService, querySource: any QuerySource, keyValues: KeyValueService, versionFiles: VersionFiles,
        invalidator: KernelInvalidator, refused: RefusedPrograms, setOffline: @escaping @Sendable (Bool) throws -> Void,
        identity: DeviceIdentity,
        configuration: MountConfiguration,
        requestDownload: @escaping @Sendable (LocalItem) throws -> (items: Int, bytes: UInt64)
    ) {
        self.metadata = metadata
        self.files = files
        self.engine = engine
        self.claims = claims
        self.queries = queries
        self.querySource = querySource
        self.keyValues = keyValues
        self.versionFiles = versionFiles
        self.invalidator = invalidator
        self.refused = refused
        self.setOffline = setOffline
        self.identity = identity
        self.configuration = configuration
        self.requestDownload = requestDownload
    }

    /// Converts errors of the database into failures naming the state directory.
    func describing<T>(_ body: () async throws -> T) async throws -> T {
        do { return try await body() } catch let error as MetadataError {
            throw DaemonFailure(error, path: configuration.stateDirectory)
        }
    }

    /// Runs work on the database off the cooperative pool.
    func blocking<T: Sendable>(_ work: @escaping @Sendable () throws -> T) async throws -> T {
        try await engine.context.transfers.pool.run { () throws(any Error) -> T in try work() }
    }

    // MARK: Paths

    /// Returns the item at a path; nil for the mount's root.
    func item(at path: MountPath) throws -> LocalItem? {
        do { return try files.item(at: path.components.map(Array.init)) } catch let error as Errno {
            throw DaemonFailure(
                .notFound, "no such file or folder", path: path.description,
                advice: "`ubiquity deleted` lists deleted items.",
                errno: error.code)
        }
    }

    /// Returns the item at a path other than the root.
    func document(at path: MountPath) throws -> LocalItem {
        guard let item = try item(at: path) else {
            throw DaemonFailure(
                .invalidRequest, "the mount itself is not an item", path: configuration.mountPoint,
                advice: "Name a container or an item in it.")
        }
        return item
    }

    /// Returns a path's items: every container for the root.
    func items(at path: MountPath) throws -> [LocalItem] {
        if let item = try item(at: path) { return [item] }
        // The trash beside the containers exists on this device only.
        return try metadata.read {
            try $0.local.readableChildren(of: .root, limit: 10_000).items.filter { $0.item == .root }
        }
    }

    func path(of item: LocalItem, _ transaction: MetadataTransaction) throws -> MountPath {
        let names = try transaction.local.path(of: item.node).map(\.bytes)
        return try MountPath(bytes: Array(names.joined(separator: [UInt8(ascii: "/")])))
    }
}
