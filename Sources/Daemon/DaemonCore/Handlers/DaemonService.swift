import Basics
import ClaimService
import CloudModel
import CloudStorage
import DaemonProtocol
import Glibc
import LocalMetadata
import Sync
import Transfers
import VirtualFileSystem

/// Serves the control socket: finds what a path means and hands the request to the handler of its noun.
struct DaemonService: RequestHandler {
    let daemon: RunningDaemon

    init(_ daemon: RunningDaemon) { self.daemon = daemon }

    var device: Device { daemon.device }

    func handle(_ request: DaemonRequest, from client: ClientContext) async throws -> DaemonResponse {
        try await describing { try await answer(request, client) }
    }

    func answerAtOnce(_ request: DaemonRequest, from client: ClientContext) -> PromptAnswer? {
        switch request {
        case .claim(let request): claim(request, client)
        case .finish(let request): finish(request, client)
        default: nil
        }
    }

    func describing<T>(_ body: () async throws -> T) async throws -> T {
        do { return try await body() } catch let error as MetadataError {
            throw DaemonFailure(error, path: daemon.configuration.stateDirectory)
        }
    }

    private func answer(_ request: DaemonRequest, _ client: ClientContext) async throws -> DaemonResponse {
        switch request {
        case .hello, .watch, .letters, .find, .monitor, .watchKeyValues, .unfollow:
            throw DaemonFailure(.invalidRequest, "this request is not answered here")
        case .status(let request): .status(try await status(request))
        case .sync(let request): .sync(try await sync(request))
        case .download(let request): .items(try await download(request))
        case .evict(let request): .items(try await evict(request))
        case .pin(let request): .items(try await pin(request))
        case .storage: .storage(try await storage())
        case .conflicts(let request): .conflicts(try await conflicts(request))
        case .resolve(let request): .resolve(try await resolve(request))
        case .versions(let request): .versions(try await versions(request))
        case .fetchVersion(let request): .fetchVersion(try await fetchVersion(request))
        case .restore(let request): .done(try await restore(request))
        case .removeVersions(let request): .done(try await removeVersions(request))
        case .deleted(let request): .deleted(try await deleted(request))
        case .restoreDeleted(let request): .restoreDeleted(try await restoreDeleted(request))
        case .stop(let request): .done(try await stop(request))
        case .diagnose: .diagnose(try await diagnose())
        case .reset: .reset(try await reset())
        case .check(let request): .check(try await check(request))
        case .claim(let request): try await claim(request, client).rest()
        case .finish(let request): try await finish(request, client).rest()
        case .claims: .claims(try await claims())
        case .present(let request): .presenting(try await present(request, client))
        case .withdraw(let request): .done(try withdraw(request, client))
        case .answer(let request): .done(answer(request, client))
        case .publish(let request): .published(try await publish(request))
        case .links: .links(try await links())
        case .unpublish(let request): .done(try await unpublish(request))
        case .latestVersion(let request): .fetchVersion(try await latestVersion(request))
        case .resume(let request): .done(try await resume(request))
        case .keyValues(let request): .keyValues(try await keyValues(request))
        case .packageTypes(let request): .packageTypes(try await packageTypes(request))
        case .setKeyValues(let request): .done(try await setKeyValues(request, client))
        }
    }

    func stream(
        _ request: DaemonRequest, from client: ClientContext
    ) async throws -> AsyncThrowingStream<DaemonEvent, any Error>? {
        switch request {
        case .find(let request): try await find(request, client)
        case .monitor: try await monitor(client)
        case .watchKeyValues(let request): try await watchKeyValues(request, client)
        default: nil
        }
    }

    func didAnswer(_ request: DaemonRequest) async {
        switch request {
        case .stop: daemon.stop()
        case .reset: daemon.stopForReset()
        default: break
        }
    }

    func ended(_ connection: UInt64) { device.claims.end(connection) }

    /// Runs work on the database off the cooperative pool.
    func blocking<T: Sendable>(_ work: @escaping @Sendable () throws -> T) async throws -> T {
        try await device.engine.context.transfers.pool.run { () throws(any Error) -> T in try work() }
    }

    // MARK: Paths

    /// The item at a path; nil for the mount's root.
    func item(at path: MountPath) throws -> LocalItem? {
        do { return try device.files.item(at: path.components.map(Array.init)) } catch let error as Errno {
            throw DaemonFailure(
                .notFound, "it does not exist", path: path.description,
                advice: "`ubiquity deleted` lists what was deleted.",
                errno: error.code)
        }
    }

    /// The item at a path that must not be the root.
    func document(at path: MountPath) throws -> LocalItem {
        guard let item = try item(at: path) else {
            throw DaemonFailure(
                .invalidRequest, "the mount itself is not an item", path: daemon.configuration.mountPoint,
                advice: "Name a container or something in it.")
        }
        return item
    }

    /// The items that a path stands for: every container for the root.
    func items(at path: MountPath) throws -> [LocalItem] {
        if let item = try item(at: path) { return [item] }
        // The trash beside the containers is on this device only.
        return try device.metadata.read {
            try $0.local.readableChildren(of: .root, limit: 10_000).items.filter { $0.item == .root }
        }
    }

    func path(of item: LocalItem, _ transaction: MetadataTransaction) throws -> MountPath {
        let names = try transaction.local.path(of: item.node).map(\.bytes)
        return try MountPath(bytes: Array(names.joined(separator: [UInt8(ascii: "/")])))
    }
}
