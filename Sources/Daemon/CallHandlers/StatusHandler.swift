import Basics
import CloudAccess
import CloudModel
import ControlServer
import DaemonProtocol
import Glibc
import LiveQueries
import LocalMetadata
import Maintenance
import Sync
import Synchronization
import Transfers
import VirtualFileSystem

struct StatusHandler: NounHandler {
    let device: MountedDevice
    let progress: DaemonProgress
    /// The result of rebuilding the state at this start, if it was rebuilt.
    let rebuild: RebuildReport?
    let databases: any DatabaseCalls

    func register(in router: inout CallRouter) {
        router.on { (request: StatusRequest) in try await status(request) }
        router.onEvents(of: WatchRequest.self) { request, _ in events(for: request) }
    }

    func status(_ request: StatusRequest) async throws -> StatusResponse {
        try await status(of: request.paths)
    }

    private func status(of paths: [MountPath]) async throws -> StatusResponse {
        let problems = await databases.problems()
        return try await blocking { [self] in try status(of: paths, problems) }
    }

    /// Returns the current state, and again whenever it differs from the last state sent.
    private func events(for request: WatchRequest) -> CallRouter.Events {
        let (stream, events) = CallRouter.Events.makeStream(bufferingPolicy: .bufferingNewest(1))
        let task = Task {
            var last: StatusResponse?
            while !Task.isCancelled {
                // If the state cannot be read, the next state is sent.
                if let now = try? await status(of: request.paths), now != last {
                    last = now
                    events.yield(.status(now))
                }
                // Only cancellation ends the sleep early, and it ends the loop too.
                try? await device.engine.context.transfers.clock.sleep(for: .milliseconds(250))
            }
        }
        events.onTermination = { _ in task.cancel() }
        return stream
    }

    private func status(of paths: [MountPath], _ problems: [DaemonFailure]) throws -> StatusResponse {
        var items: [ItemStatus] = []
        var failures: [DaemonFailure] = []
        for path in paths {
            do { items.append(try itemStatus(at: path)) } catch let failure as DaemonFailure {
                failures.append(failure)
            }
        }
        var mount = try mountStatus()
        mount.errors += problems
        return StatusResponse(mount: mount, items: items, failures: failures)
    }

    private func itemStatus(at path: MountPath) throws -> ItemStatus {
        let item = try document(at: path)
        let status = try device.files.status(of: item)
        let attributes = try device.files.attributes(of: item.node)
        var state = status.state
        if !item.isPackage { state.size = attributes.size }
        var result = ItemStatus(
            path: path,
            kind: item.isPackage ? .package : item.kind == .folder ? .folder : item.kind == .symlink ? .symlink : .file,
            state: state, itemID: status.item.description, container: status.container.text)
        result.conflictOf = try status.conflictOf.map { try MountPath($0) }
        result.pin = PinPolicy(status.pin)
        result.effectivePin = PinPolicy(status.effectivePin)
        result.excludedBy = try status.ignoreReason.map(ItemStatus.ExcludingPattern.init)
        result.version = status.version?.description
        result.device = status.device
        if item.isPackage || item.item == .root {
            result.packageTypes = try device.declaredTypes(of: item.container).sorted()
        }
        return result
    }

    func mountStatus() throws -> MountStatus {
        // Transfers are listed before the transaction, since the list may read the database too.
        let transfers = device.engine.transfers
        return try device.metadata.read { transaction in
            let pending = try transaction.pending.totals()
            var status = MountStatus(
                mount: configuration.mountPoint, pid: getpid(), state: configuration.stateDirectory,
                device: DeviceStatus(
                    name: configuration.deviceName, id: device.identity.current.description,
                    renewed: try transaction.deviceRenewal().map(WireTime.init)),
                cloud: cloudStatus(isAnyPending: pending.items > 0))
            status.queue = QueueStatus(
                uploads: UInt64(transfers.count { $0.isUpload }),
                downloads: UInt64(try transaction.transfers.wantedTotal()), pendingItems: UInt64(pending.items),
                pendingBytes: pending.bytes)
            status.transfers = try transfers.prefix(100).map { try device.status($0, transaction) }
            status.errors = [progress.damage.withLock { $0 }, diskFailure].compactMap(\.self)
            status.errors += try unreadable(transaction)
            status.errors += device.engine.containerErrors.all.map(DaemonFailure.init)
            status.errors += try loopFailures(transaction)
            if let nameFailure { status.errors.append(nameFailure) }
            status.errors += try ignoreFailures(transaction)
            let kept = try keptEdits(transaction)
            status.errors += kept.failures
            status.errors += try transaction.transfers.failed(limit: 100).filter { !kept.nodes.contains($0.node) }.map {
                item in
                DaemonFailure(
                    .failed, sentences: item.uploadError ?? item.downloadError ?? "it failed",
                    path: try path(of: item, transaction).description)
            }
            status.containers = try transaction.containers().filter { try transaction.local.isShown($0) }.map(
                \.name.text)
            let diverged = try transaction.containers().filter { $0.divergence != nil }.map(\.name.text)
            status.diverged = diverged.isEmpty ? nil : diverged
            status.conflicts = UInt64(try transaction.local.totals().conflicts)
            status.cache = CacheStatus(
                bytes: try transaction.transfers.presentBytes(), limit: device.engine.room.cacheSize)
            status.rebuild = rebuild.map(RebuildStatus.init)
            status.check = progress.check.withLock { $0 }
            status.collection = progress.collection.withLock { $0 }
            status.work = progress.work.withLock { $0 }
            let rates = device.engine.context.transfers
            if rates.up.rate != nil || rates.down.rate != nil {
                status.limits = LimitStatus(up: rates.up.rate, down: rates.down.rate)
            }
            status.metered = device.engine.context.metered.present.map(OnMetered.init)
            let refused = device.refused.all.map { RefusedProgram(program: $0.program, seconds: $0.seconds) }
            status.refusedPrograms = refused.isEmpty ? nil : refused
            return status
        }
    }

    /// Returns failures for items not displayable in their folders.
    private func unreadable(_ transaction: MetadataTransaction) throws -> [DaemonFailure] {
        try device.files.unreadable.all.map { node, folder in
            let names = try transaction.local.path(of: folder).map(\.description).joined(separator: "/")
            return DaemonFailure(
                .damaged, "an item in this folder cannot be shown, as its row (node \(node)) is damaged", path: names,
                advice: "Run `ubiquity check`, then `ubiquity repair`: no edit is lost.")
        }
    }

    /// Returns failures for documents with uploads delayed because another device rewrites them in response to this
    /// one.
    private func loopFailures(_ transaction: MetadataTransaction) throws -> [DaemonFailure] {
        try device.engine.context.loops.all.sorted { $0.key < $1.key }.prefix(100).compactMap { node, loop in
            guard let item = try transaction.local.item(node) else { return nil }
            return DaemonFailure(
                .busy,
                "this device and \(loop.otherDevice) rewrite it in response to each other (\(loop.turns) times in "
                    + "15 minutes); its uploads are delayed more and more",
                path: try path(of: item, transaction).description,
                advice: "Look for two programs that both change it, and stop one. No edit is lost.")
        }
    }

    /// Returns failures for ignore files without effect.
    private func ignoreFailures(_ transaction: MetadataTransaction) throws -> [DaemonFailure] {
        try device.files.ignoreProblems.prefix(100).compactMap { node, problem in
            guard let item = try transaction.local.item(node) else { return nil }
            return DaemonFailure(
                .invalidRequest, "none of its patterns applies, because \(problem)",
                path: try path(of: item, transaction).description,
                advice: "Shorten it, or divide it among the folders that it is about.")
        }
    }

    /// Returns edits kept on this device because of its read-only access, at most 100, and a failure for each.
    private func keptEdits(
        _ transaction: MetadataTransaction
    ) throws -> (nodes: Set<NodeID>, failures: [DaemonFailure]) {
        guard device.engine.refusal?.isReadOnly == true else { return ([], []) }
        let items = try transaction.pending.items(before: Timestamp(nanoseconds: .max), limit: 100)
        let failures = try items.map { item in
            let advice =
                item.isKnown
                ? "`ubiquity resume --drop-edits` replaces it by the cloud's version." : "Delete it to drop it."
            return DaemonFailure(
                .permissionDenied, "it is kept on this device only", path: try path(of: item, transaction).description,
                advice: advice)
        }
        return (Set(items.map(\.node)), failures)
    }

    /// A failure if another device has the same name; otherwise nil.
    private var nameFailure: DaemonFailure? {
        guard device.engine.context.namesakes.areFound else { return nil }
        return DaemonFailure(
            .conflict, "another device is also called \(configuration.deviceName)",
            advice: "Rename this one: `ubiquity unmount`, then `ubiquity mount --device NAME`.")
    }

    /// A failure if the disk is full; otherwise nil.
    var diskFailure: DaemonFailure? {
        guard device.engine.room.isFull else { return nil }
        let isOutOfFiles = device.engine.room.lacksFiles
        return DaemonFailure(
            .diskFull,
            isOutOfFiles ? "the disk of this device can hold no more files" : "the disk of this device is full",
            path: configuration.stateDirectory,
            advice: "Delete or evict documents, or free some space on that disk; uploads continue.")
    }

    private func cloudStatus(isAnyPending: Bool) -> CloudStatus {
        let url = configuration.cloud.description
        let (state, cause) = device.engine.condition
        let reason = CloudStatus.Reason(state, cause)
        var status =
            switch state {
            case .online: CloudStatus(url: url, refusal: device.engine.refusal, isAnyPending: isAnyPending)
            case .connecting:
                CloudStatus(url: url, state: .offline, message: CloudStatus.connecting, reason: reason)
            case .offline(let why), .stopped(let why):
                CloudStatus(url: url, state: .offline, message: why, reason: reason)
            }
        if configuration.cloud.kind.hasAccounts {
            status.account = ServerAccess.record(at: url)?.account
            status.isSignedIn = status.account != nil
        }
        return status
    }
}

extension DaemonFailure {
    /// Creates the failure of an unsynced container, named by its folder.
    init(_ failure: ContainerErrors.Failure) {
        self.init(
            failure.isDiverged ? .conflict : failure.needsUpdate ? .versionMismatch : .damaged,
            sentences: failure.message,
            path: failure.container.folderName)
    }
}

extension ItemStatus.ExcludingPattern {
    init(_ reason: VirtualFileSystem.IgnoreReason) throws {
        self.init(
            path: try MountPath(bytes: Array(reason.file.map(\.bytes).joined(separator: [UInt8(ascii: "/")]))),
            line: reason.pattern.line, pattern: String(decoding: reason.pattern.text, as: UTF8.self))
    }
}

extension PinPolicy {
    init(_ pin: PinState) {
        self =
            switch pin {
            case .inherited: .inherited
            case .lazy: .lazy
            case .evictOnUpdate: .evictOnUpdate
            case .keep: .keep
            case .whenSpace: .whenSpace
            }
    }
}
