import ClaimService
package import ControlServer
package import DaemonProtocol
package import Logging
package import Maintenance
import Sync
import VirtualFileSystem

/// Serves the control socket: composes the handlers, and calls the handler registered for a request.
package struct DaemonService: RequestHandler {
    private let device: MountedDevice
    private let resets: ResetHandler
    private let collections: CollectHandler
    private let router: CallRouter

    /// - Parameter rebuild: The result of rebuilding the state at this start, if it was rebuilt.
    package init(
        _ device: MountedDevice, _ daemon: any DaemonControl, progress: DaemonProgress, rebuild: RebuildReport?,
        logger: Logger
    ) {
        let unsaved = UnsavedChanges(device: device)
        let status = StatusHandler(
            device: device, progress: progress, rebuild: rebuild, databases: daemon.databases)
        let sync = SyncHandler(device: device, unsaved: unsaved, status: status)
        let versions = VersionsHandler(device: device)
        let publishing = PublishHandler(device: device, versions: versions, unsaved: unsaved)
        let resets = ResetHandler(device: device, sync: sync, daemon: daemon, logger: logger)
        let collections = CollectHandler(device: device, progress: progress, sync: sync, logger: logger)
        let handlers: [any NounHandler] = [
            status, sync, versions, publishing, resets, collections,
            CheckHandler(device: device, progress: progress, daemon: daemon),
            ClaimHandler(device: device, logger: logger),
            ClaimsHandler(device: device),
            ConflictHandler(device: device),
            ContainerHandler(device: device),
            ContentHandler(device: device, progress: progress),
            DatabaseHandler(device: device, databases: daemon.databases),
            DeletedHandler(device: device, progress: progress),
            DownloadsHandler(device: device),
            EmblemHandler(device: device),
            KeyValueHandler(device: device),
            LimitsHandler(device: device),
            MaintenanceHandler(device: device, status: status, sync: sync, daemon: daemon),
            OnlineHandler(device: device),
            PackageHandler(device: device),
            PauseHandler(device: device, sync: sync, versions: versions, publishing: publishing),
            PresenterHandler(device: device),
            QueryHandler(device: device),
            StorageHandler(device: device),
        ]
        var router = CallRouter()
        for handler in handlers { handler.register(in: &router) }
        (self.device, self.resets, self.collections, self.router) = (device, resets, collections, router)
    }

    /// Does work not requested by clients, until its task is cancelled: resets the device when its cloud requests that,
    /// and collects garbage once a day.
    package func run() async {
        async let resetting: Void = resets.obeyCloud()
        async let collecting: Void = collections.collectByItself()
        _ = await (resetting, collecting)
    }

    package var calls: CallRegistry { router.calls }

    package func handle(_ request: DaemonRequest, from client: ClientContext) async throws -> DaemonResponse {
        try await recordCloses(before: request)
        return try await device.describing { try await router.handle(request, from: client) }
    }

    /// After closing a file, a program expects its edit in all reports. Emblems look at closed files themselves.
    private func recordCloses(before request: DaemonRequest) async throws {
        guard device.files.hasWaitingCloses, !(request.call is EmblemsRequest) else { return }
        try await device.blocking { [files = device.files] in files.recordCloses() }
    }

    package func respondAtOnce(_ request: DaemonRequest, from client: ClientContext) -> PromptResponse? {
        router.respondAtOnce(request, from: client)
    }

    package func stream(
        _ request: DaemonRequest, from client: ClientContext
    ) async throws -> CallRouter.Events? {
        try await recordCloses(before: request)
        return try await router.events(request, from: client)
    }

    package func didRespond(_ request: DaemonRequest) async { router.didRespond(request) }

    package func ended(_ connection: UInt64) {
        device.claims.end(connection)
        device.engine.reportMetered(false, by: connection)
    }
}
