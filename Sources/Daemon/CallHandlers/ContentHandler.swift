import Basics
import ClaimService
import CloudModel
import ControlServer
import Coordination
import DaemonProtocol
import Glibc
import LocalMetadata
import Logging
import Sync
import Synchronization
import VirtualFileSystem

struct ContentHandler: NounHandler {
    let device: MountedDevice
    let progress: DaemonProgress

    func register(in router: inout CallRouter) {
        router.on(download)
        router.on(evict)
        router.on(pin)
    }

    func download(_ request: DownloadRequest) async throws -> ItemsResponse {
        let outcomes = try await each(request.paths) { path in
            var total = (items: 0, bytes: UInt64(0))
            for item in try items(at: path) {
                let noted = try device.requestDownload(item)
                total = (total.items + noted.items, total.bytes.saturatingSum(noted.bytes))
            }
            return ItemOutcome(path: path, items: UInt64(total.items), bytes: total.bytes)
        }
        guard request.wait else { return ItemsResponse(outcomes: outcomes) }
        do {
            return ItemsResponse(outcomes: try await waitForDownloads(outcomes))
        } catch is CancellationError {
            // The client is gone, and no other is known to wait for these bytes.
            for outcome in outcomes where outcome.failure == nil { await stopDownloads(of: outcome.path) }
            throw CancellationError()
        }
    }

    private func stopDownloads(of path: MountPath) async {
        let downloads = device.engine.downloads
        do {
            try await blocking { [self] in for item in try items(at: path) { _ = try downloads.cancel(item) } }
        } catch {
            device.engine.context.log.debug("downloads could not be ended", metadata: ["why": "\(error)"])
        }
    }

    /// Waits until all bytes are local, or until none have arrived for ``Patience/limit``; the outcome of an incomplete
    /// item has the reason.
    private func waitForDownloads(_ outcomes: [ItemOutcome]) async throws -> [ItemOutcome] {
        let clock = ContinuousClock()
        let begun = clock.now
        var wait = DownloadWait(arrivals: device.engine.downloads.arrivals, now: .zero)
        var looked: UInt64?
        while true {
            // No transfer can have ended without a write to the database.
            let writes = device.metadata.writes
            if writes != looked {
                looked = writes
                let isAnyMissing = try await blocking { [self] in try outcomes.contains(where: isMissing) }
                guard isAnyMissing else { return try await blocking { [self] in try outcomes.map(judged) } }
            }
            let (state, arrivals) = (device.engine.state, device.engine.downloads.arrivals)
            if let failure = wait.failure(state, arrivals: arrivals, now: begun.duration(to: clock.now)) {
                return try await blocking { [self] in try outcomes.map { try judged($0, failure) } }
            }
            try await clock.sleep(for: .milliseconds(50))
        }
    }

    private func isMissing(_ outcome: ItemOutcome) throws -> Bool {
        guard outcome.failure == nil else { return false }
        let items = try items(at: outcome.path)
        return try device.metadata.read { transaction in
            try items.contains { try transaction.transfers.isAnyWanted(below: $0.node) }
        }
    }

    /// Returns a path's outcome after a failed wait.
    private func judged(_ outcome: ItemOutcome, _ failure: DaemonFailure) throws -> ItemOutcome {
        guard try isMissing(outcome) else { return try judged(outcome) }
        return ItemOutcome(
            path: outcome.path, items: outcome.items, bytes: outcome.bytes,
            failure: DaemonFailure(
                failure.code, failure.message, path: outcome.path.description, advice: failure.advice))
    }

    /// Returns the outcome of a path after waiting, with the first error found at or below it.
    private func judged(_ outcome: ItemOutcome) throws -> ItemOutcome {
        guard outcome.failure == nil else { return outcome }
        let items = try items(at: outcome.path)
        let message = try device.metadata.read { transaction -> String? in
            var message: String?
            for item in items {
                try transaction.local.forEach(below: item) { if message == nil { message = $0.downloadError } }
            }
            return message
        }
        guard let message else { return try missing(outcome, items) }
        return ItemOutcome(
            path: outcome.path, items: outcome.items, bytes: outcome.bytes,
            failure: DaemonFailure(.failed, sentences: message, path: outcome.path.description))
    }

    /// Returns the outcome of a path after its downloads; bytes evicted meanwhile are missing.
    private func missing(_ outcome: ItemOutcome, _ items: [LocalItem]) throws -> ItemOutcome {
        let count = try device.metadata.read { transaction in
            var count = 0
            for item in items {
                try transaction.local.forEach(below: item) { file in
                    if file.kind == .file, !file.isMaterialised, !file.isExcluded, file.content != nil { count += 1 }
                }
            }
            return count
        }
        guard count > 0 else { return outcome }
        let what = "\(count) item\(count == 1 ? " is" : "s are") not on this device"
        let limit = device.engine.room.cacheSize.map { ByteCount($0) }
        return ItemOutcome(
            path: outcome.path, items: outcome.items, bytes: outcome.bytes,
            failure: DaemonFailure(
                .failed, limit.map { "\(what), as the cache is limited to \($0)" } ?? "\(what): evicted meanwhile",
                path: outcome.path.description,
                advice: limit == nil ? "Try again." : "Raise the limit: `ubiquity limit --cache SIZE`."))
    }

    func evict(_ request: EvictRequest) async throws -> ItemsResponse {
        var outcomes: [ItemOutcome] = []
        for path in request.paths {
            outcomes += try await withConsent(path) { [self] in
                let stopped = try await stopDownloads(at: path)
                return try await each([path]) { path in
                    var files: [LocalItem] = []
                    for item in try items(at: path) {
                        try device.metadata.read {
                            try $0.local.forEach(below: item) { if $0.kind == .file { files.append($0) } }
                        }
                    }
                    return try evict(files, path, stopped: stopped)
                }
            }
        }
        return ItemsResponse(outcomes: outcomes)
    }

    /// Asks the presenters of the item, and of items below it, before its bytes are evicted. Without presenters there is no program to ask.
    private func withConsent(
        _ path: MountPath, _ evict: () async throws -> [ItemOutcome]
    ) async throws -> [ItemOutcome] {
        guard device.claims.hasPresenters else { return try await evict() }
        let find: @Sendable () throws -> LocalItem? = { [self] in try item(at: path) }
        // A missing item is reported below.
        guard let item = try? await blocking(find) else { return try await evict() }
        let claim: ClaimID
        do throws(ClaimError) { claim = try await device.claims.claimToEvict(item.node) } catch {
            let failure = DaemonFailure(.busy, sentences: error.message, path: path.description)
            return [ItemOutcome(path: path, failure: failure)]
        }
        defer { device.claims.finishEviction(claim) }
        return try await evict()
    }

    /// Ends requested downloads at or below a path. Returns their number.
    private func stopDownloads(at path: MountPath) async throws -> UInt64 {
        // A missing item is reported below.
        guard let found = try? await blocking({ [self] in try items(at: path) }) else { return 0 }
        // Bytes that have just arrived are evicted like everything else.
        try await blocking { [self] in device.engine.downloads.recordComplete() }
        var count = 0
        for item in found { count += try await device.engine.downloads.cancelAndWait(item) }
        return UInt64(count)
    }

    private func evict(_ files: [LocalItem], _ path: MountPath, stopped: UInt64) throws -> ItemOutcome {
        var evicted = (items: UInt64(0), bytes: UInt64(0))
        var kept: [(file: LocalItem, why: EvictionRefusal)] = []
        defer { progress.work.withLock { $0 = nil } }
        var (index, problem) = (0, (any Error)?.none)
        device.engine.evictor.evict(files) { file, error in
            if index.isMultiple(of: 100) {
                progress.work.withLock {
                    $0 = WorkStatus(
                        what: "evicting", completedItems: UInt64(index), totalItems: UInt64(files.count))
                }
            }
            index += 1
            switch error {
            case nil where file.presence != .none && file.size > 0:
                evicted = (evicted.items + 1, evicted.bytes.saturatingSum(file.size))
            case nil: break
            // The rest of the folder is evicted, and nothing is wrong.
            case EvictionRefusal.isIgnoreFile? where files.count > 1: break
            case let error as EvictionRefusal: kept.append((file, error))
            case let error?: problem = problem ?? error
            }
        }
        if let problem { throw problem }
        // Items never synced are no reason to refuse a folder.
        let refusal = kept.first { files.count == 1 || $0.why != .isExcluded }?.why
        let failure =
            evicted.items > 0 || stopped > 0
            ? nil
            : refusal.map { refusal in
                DaemonFailure(refusal.code, "not evicted: \(refusal.rawValue)", path: path.description)
            }
        return ItemOutcome(
            path: path, items: evicted.items, bytes: evicted.bytes, failure: failure,
            kept: failure == nil ? kept.prefix(ItemOutcome.maximumKept).map(KeptItem.init) : [],
            keptCount: failure == nil ? UInt64(kept.count) : 0, stopped: stopped)
    }

    func pin(_ request: PinRequest) async throws -> ItemsResponse {
        guard let pin = PinState(request.pin) else {
            throw DaemonFailure(
                .invalidRequest, "exclusion from sync is not a pin", advice: "Set user.ubiquity.isExcludedFromSync.")
        }
        return ItemsResponse(
            outcomes: try await each(request.paths) { path in
                let items = try items(at: path)
                if path.isRoot {
                    try device.files.setRootPin(pin)
                } else {
                    for item in items { try device.files.setPin(pin, of: item.node) }
                }
                return ItemOutcome(path: path, items: UInt64(items.count))
            })
    }

    /// Runs `body` for each path; the failure for a path is in its outcome.
    private func each(
        _ paths: [MountPath], _ body: @escaping @Sendable (MountPath) throws -> ItemOutcome
    ) async throws -> [ItemOutcome] {
        try await blocking {
            try paths.map { path in
                do { return try body(path) } catch let failure as DaemonFailure {
                    return ItemOutcome(path: path, failure: failure)
                } catch let error as Errno {
                    return ItemOutcome(
                        path: path,
                        failure: DaemonFailure(.failed, "\(error)", path: path.description, errno: error.code))
                }
            }
        }
    }
}

extension KeptItem {
    fileprivate init(_ file: LocalItem, _ why: EvictionRefusal) {
        let reason =
            switch why {
            case .isFolder: "folder"
            case .isOpen: "open"
            case .isEdited: "not uploaded yet"
            case .isPinned: "pinned"
            case .isPresented: "in use"
            case .isIgnoreFile: "ignore file"
            case .isExcluded: "not synced"
            case .isUnconfirmed: "not confirmed by the cloud"
            }
        self.init(name: "\(file.name)", reason: reason)
    }
}

extension EvictionRefusal {
    fileprivate var code: DaemonFailure.Code {
        switch self {
        case .isFolder, .isIgnoreFile: .invalidRequest
        case .isOpen, .isPresented: .busy
        case .isEdited, .isExcluded, .isUnconfirmed: .notUploaded
        case .isPinned: .pinned
        }
    }
}

extension PinState {
    fileprivate init?(_ policy: PinPolicy) {
        switch policy {
        case .inherited: self = .inherited
        case .lazy: self = .lazy
        case .evictOnUpdate: self = .evictOnUpdate
        case .keep: self = .keep
        case .whenSpace: self = .whenSpace
        case .excluded: return nil
        }
    }
}
