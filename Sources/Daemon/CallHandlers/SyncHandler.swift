import Basics
import ControlServer
import DaemonProtocol
import LocalMetadata
import Sync
import VirtualFileSystem

struct SyncHandler: NounHandler {
    let device: MountedDevice
    let unsaved: UnsavedChanges
    let status: StatusHandler

    func register(in router: inout CallRouter) {
        router.on(sync)
    }

    /// Uploads everything without waiting for it to settle. If the caller waits, programs first save their unsaved
    /// changes; when this method returns, everything is in the cloud, and the cloud's earlier changes are known
    /// locally.
    func sync(_ request: SyncRequest) async throws -> SyncResponse {
        for path in request.paths { _ = try await blocking { [self] in try items(at: path).count } }
        let engine = device.engine
        engine.context.urgency.begin()
        defer { engine.context.urgency.end() }
        if request.wait { try await unsaved.save(at: request.paths, within: request.timeout) }
        try await blocking { [self] in
            device.files.noteIdleEdits(pause: .zero)
            device.files.includeAgain(pause: .zero)
        }
        engine.writeAgain()
        engine.localTreeChanged()
        guard request.wait else { return try await response() }
        try await followCloud(within: request.timeout) { [self] in
            if let failure = try await refusalFailure() { throw failure }
            return try await blocking { [self] in
                try device.metadata.read { try !$0.pending.hasAny() || $0.pending.areAllPaused() }
            }
        } late: {
            timedOut(try await response())
        }
        if let failure = try await pausedFailure() { throw failure }
        return try await response()
    }

    /// Waits until the cloud's current state is known locally, and `isDone` returns true.
    func followCloud(
        within seconds: Double?, until isDone: () async throws -> Bool = { true },
        late: () async throws -> DaemonFailure
    ) async throws {
        let engine = device.engine
        let clock = ContinuousClock()
        let deadline = try seconds.map { clock.now.advanced(by: try Duration(requestedSeconds: $0)) }
        // Two rounds, since a running round may have read the cloud before this request.
        let goal = engine.rounds + 2
        let attempt = engine.containerErrors.attempts + 2
        var asked: UInt64?
        while true {
            if try await isDone(), engine.rounds >= goal, engine.state == .online { return engine.cloudFollowed() }
            if case .stopped(let why) = engine.state { throw DaemonFailure(.failed, sentences: why) }
            if engine.containerErrors.attempts >= attempt, let failure = engine.containerErrors.all.first {
                throw DaemonFailure(failure)
            }
            if let deadline, clock.now >= deadline { throw try await late() }
            engine.localTreeChanged()
            // Once for each round, so that an unreachable cloud is not queried more often.
            if asked != engine.containerErrors.attempts {
                asked = engine.containerErrors.attempts
                engine.askCloud()
            }
            try await clock.sleep(for: .milliseconds(20))
        }
    }

    /// Returns the failure of a wait for changes kept on this device because of its read-only access; nil if there are
    /// none.
    private func refusalFailure() async throws -> DaemonFailure? {
        guard let refusal = device.engine.refusal, refusal.isReadOnly else { return nil }
        let items = try await response().pendingItems
        guard items > 0 else { return nil }
        let what = items == 1 ? "1 change is" : "\(items) changes are"
        return DaemonFailure(
            .permissionDenied, "\(what) kept on this device only, because it may only read",
            advice: "\(refusal.message) `ubiquity status` names them.")
    }

    /// Returns the failure of a wait that ends with only paused changes left; nil if there are none.
    private func pausedFailure() async throws -> DaemonFailure? {
        let (names, count) = try await blocking { [self] in
            try device.metadata.read { try $0.pending.paused(limit: 3) }
        }
        guard count > 0 else { return nil }
        let listed = names.map { "\($0)" }.joined(separator: ", ") + (count > names.count ? ", …" : "")
        return DaemonFailure(
            .paused, "\(count) item\(count == 1 ? " is" : "s are") paused\(names.isEmpty ? "" : " (\(listed))")",
            advice: "Everything else is in the cloud; `ubiquity resume` sends \(count == 1 ? "it" : "them").")
    }

    private func timedOut(_ now: SyncResponse) -> DaemonFailure {
        var why =
            now.pendingItems == 0
            ? "all local changes are in the cloud, but the changes of other devices are not known yet"
            : "\(now.pendingItems) item\(now.pendingItems == 1 ? "" : "s") still to upload"
        if case .offline(let reason) = device.engine.state { why += " (\(DaemonFailure.clause(reason)))" }
        if status.diskFailure != nil { why += " (the disk of this device is full)" }
        return DaemonFailure(
            .timedOut, why, advice: "Sync continues in the background; `ubiquity status` shows its progress.")
    }

    private func response() async throws -> SyncResponse {
        let totals = try await blocking { [self] in try device.metadata.read { try $0.pending.totals() } }
        return SyncResponse(pendingItems: UInt64(totals.items), pendingBytes: totals.bytes)
    }

    /// Uploads everything if requested, before the daemon stops.
    func stop(_ request: StopRequest) async throws -> DoneResponse {
        if request.upload { _ = try await sync(SyncRequest(paths: [], wait: true)) }
        return DoneResponse()
    }
}
