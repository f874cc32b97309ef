import ClaimService
import ControlServer
import DaemonProtocol

/// Serves the control socket: composes the handlers, and calls the one registered for a request.
struct DaemonService: RequestHandler {
    let resets: ResetHandler
    let collections: CollectHandler
    private let mounted: MountedDevice
    private let router: CallRouter

    init(_ daemon: RunningDaemon) {
        let mounted = MountedDevice(device: daemon.device, configuration: daemon.configuration)
        let (progress, logger) = (daemon.progress, daemon.logger)
        let unsaved = UnsavedChanges(mounted: mounted)
        let status = StatusHandler(mounted: mounted, progress: progress, rebuild: daemon.rebuild)
        let sync = SyncHandler(mounted: mounted, unsaved: unsaved, status: status)
        let versions = VersionsHandler(mounted: mounted)
        let publishing = PublishHandler(mounted: mounted, versions: versions, unsaved: unsaved)
        let resets = ResetHandler(mounted: mounted, sync: sync, logger: logger) { daemon.stopForReset() }
        let collections = CollectHandler(mounted: mounted, progress: progress, sync: sync, logger: logger)
        let handlers: [any NounHandler] = [
            status, sync, versions, publishing, resets, collections,
            CheckHandler(mounted: mounted, progress: progress),
            ClaimHandler(mounted: mounted, logger: logger),
            ClaimsHandler(mounted: mounted),
            ConflictHandler(mounted: mounted),
            ContentHandler(mounted: mounted, progress: progress),
            DeletedHandler(mounted: mounted, progress: progress),
            KeyValueHandler(mounted: mounted),
            MaintenanceHandler(
                mounted: mounted, status: status, sync: sync, requestCounts: { daemon.requestCounts },
                stop: { daemon.stop() }),
            PackageHandler(mounted: mounted),
            PauseHandler(mounted: mounted, sync: sync, versions: versions, publishing: publishing),
            PresenterHandler(mounted: mounted),
            QueryHandler(mounted: mounted),
            StorageHandler(mounted: mounted),
        ]
        var router = CallRouter()
        for handler in handlers { handler.register(in: &router) }
        (self.mounted, self.resets, self.collections, self.router) = (mounted, resets, collections, router)
    }

    var calls: CallRegistry { router.calls }

    func handle(_ request: DaemonRequest, from client: ClientContext) async throws -> DaemonResponse {
        try await mounted.describing { try await router.handle(request, from: client) }
    }

    func respondAtOnce(_ request: DaemonRequest, from client: ClientContext) -> PromptResponse? {
        router.respondAtOnce(request, from: client)
    }

    func stream(_ request: DaemonRequest, from client: ClientContext) async throws -> CallRouter.Events? {
        try await router.events(request, from: client)
    }

    func didRespond(_ request: DaemonRequest) async { router.didRespond(request) }

    func ended(_ connection: UInt64) { mounted.device.claims.end(connection) }
}
