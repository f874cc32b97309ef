import CloudStorage
import ControlServer
import DaemonProtocol
import LocalMetadata
import Logging
import Maintenance
import Sync

struct ResetHandler: NounHandler {
    let device: MountedDevice
    let sync: SyncHandler
    let daemon: any DaemonControl
    let logger: Logger

    func register(in router: inout CallRouter) {
        router.on({ (_: ResetRequest) in try await reset() }, afterwards: { daemon.stopForReset() })
        router.on({ try await move($0) }, afterwards: { daemon.stopToMove() })
    }

    /// How long to continue uploading before the state is rebuilt; remaining changes then become recovered documents.
    private static let uploadLimit = Duration.seconds(30)

    /// Uploads as many changes as possible, then restarts the daemon with a reset once the response has been sent.
    func reset() async throws -> ResetResponse {
        try await requireCloud()
        if case .online = device.engine.state { try await uploadWhatCanBe() }
        // A reset also repairs an unreadable state, so a failure to count pending items does not prevent it.
        let pending = try await blocking { [self] in (try? device.metadata.read { try $0.pending.totals().items }) ?? 0
        }
        return ResetResponse(pendingItems: UInt64(pending))
    }

    /// Uploads as many changes as possible, then restarts the daemon with another cloud once the response has been
    /// sent.
    private func move(_ request: MoveCloudRequest) async throws -> MoveCloudResponse {
        let address = try CloudAddress(request.cloud, currentDirectory: "/")
        guard address != configuration.cloud else {
            throw DaemonFailure(.conflict, "the documents are in this cloud already", path: request.cloud)
        }
        if case .online = device.engine.state { try await uploadWhatCanBe() }
        daemon.prepareMove(to: address)
        return MoveCloudResponse()
    }

    /// Resets this device when the owner of its cloud requests that on the server. Ends with its task.
    func obeyCloud() async {
        guard let cloud = device.engine.context.backend.facet((any RemoteResettable).self) else { return }
        while !Task.isCancelled {
            do {
                if cloud.isResetAsked {
                    _ = try await reset()
                    try await cloud.confirmReset()
                    logger.notice("resetting, as requested in the server's console")
                    return daemon.stopForReset()
                }
                try await ContinuousClock().sleep(for: .seconds(2))
            } catch is CancellationError { return } catch {
                // The server repeats the request until it is confirmed.
                logger.warning(
                    "could not carry out the reset that the server requested", metadata: ["error": "\(error)"])
                do { try await ContinuousClock().sleep(for: .seconds(30)) } catch { return }
            }
        }
    }

    /// Uploads as many changes as possible. A reset is also meant for stuck devices, so unuploadable changes are left.
    private func uploadWhatCanBe() async throws {
        _ = try await sync.sync(SyncRequest(paths: [], wait: false))
        let engine = device.engine
        engine.context.urgency.begin()
        defer { engine.context.urgency.end() }
        let clock = ContinuousClock()
        let deadline = clock.now.advanced(by: Self.uploadLimit)
        let goal = engine.rounds + 1
        while clock.now < deadline, engine.state == .online, engine.containerErrors.all.isEmpty {
            let left = try await blocking { [self] in try device.metadata.read { try $0.pending.unpausedTotal() } }
            if left == 0, engine.rounds >= goal { return }
            engine.localTreeChanged()
            engine.askCloud()
            try await clock.sleep(for: .milliseconds(50))
        }
        logger.notice("not everything was uploaded before the restart")
    }

    /// Requires a readable cloud: without it, a device discarding its state shows nothing.
    private func requireCloud() async throws {
        do { _ = try await device.engine.context.backend.connect(create: false) } catch let error as CloudError {
            let code: DaemonFailure.Code
            switch error.code {
            case .offline: code = .offline
            case .unauthorized: code = .permissionDenied
            case .tooNew, .tooOld: code = .versionMismatch
            default: return
            }
            let failure = DaemonFailure(code, sentences: error.message)
            throw DaemonFailure(
                code, "the state is rebuilt from the cloud, and \(failure.message)",
                path: configuration.mountPoint,
                advice: "Nothing was changed. \(failure.advice ?? "Make the cloud reachable first.")")
        }
    }
}

extension RebuildStatus {
    init(_ report: RebuildReport) {
        // A folder without a path in the mount is named only in the report's sentence.
        let folder = report.folder.flatMap { try? MountPath($0) }
        self.init(
            reason: report.reason, aside: report.aside, folder: folder,
            recovered: report.recovered, keptAside: report.keptAside, summary: report.sentence)
    }
}
