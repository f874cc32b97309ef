import Basics
import CloudModel
import Coordination
import DaemonProtocol
import Glibc
import LocalMetadata
import Sync
import VirtualFileSystem

extension DaemonService {
    func download(_ request: DownloadRequest) async throws -> ItemsResponse {
        let outcomes = try await each(request.paths) { path in
            var total = (items: 0, bytes: UInt64(0))
            for item in try items(at: path) {
                let noted = try device.link.makingRoom { try device.link.requestDownload(item) }
                total = (total.items + noted.items, total.bytes + noted.bytes)
            }
            return ItemOutcome(path: path, items: UInt64(total.items), bytes: total.bytes)
        }
        guard request.wait else { return ItemsResponse(outcomes: outcomes) }
        return ItemsResponse(outcomes: try await waitForDownloads(outcomes))
    }

    private func waitForDownloads(_ outcomes: [ItemOutcome]) async throws -> [ItemOutcome] {
        let clock = ContinuousClock()
        while try await blocking({ [self] in try outcomes.contains { try $0.failure == nil && isWanted(at: $0.path) } })
        {
            if case .stopped(let why) = device.engine.state { throw DaemonFailure(.failed, sentences: why) }
            try await clock.sleep(for: .milliseconds(50))
        }
        return try await blocking { [self] in try outcomes.map(judged) }
    }

    private func isWanted(at path: MountPath) throws -> Bool {
        let items = try items(at: path)
        return try device.metadata.read { transaction in
            try items.contains { try transaction.isAnyWanted(below: $0.node) }
        }
    }

    /// The outcome after waiting: with the first error found at or below the path.
    private func judged(_ outcome: ItemOutcome) throws -> ItemOutcome {
        guard outcome.failure == nil else { return outcome }
        let items = try items(at: outcome.path)
        let message = try device.metadata.read { transaction -> String? in
            var message: String?
            for item in items {
                try transaction.forEach(below: item) { if message == nil { message = $0.downloadError } }
            }
            return message
        }
        guard let message else { return outcome }
        return ItemOutcome(
            path: outcome.path, items: outcome.items, bytes: outcome.bytes,
            failure: DaemonFailure(.failed, sentences: message, path: outcome.path.description))
    }

    func evict(_ request: EvictRequest) async throws -> ItemsResponse {
        var outcomes: [ItemOutcome] = []
        for path in request.paths {
            outcomes += try await withConsent(path) { [self] in
                try await each([path]) { path in
                    var files: [LocalItem] = []
                    for item in try items(at: path) {
                        try device.metadata.read {
                            try $0.forEach(below: item) { if $0.kind == .file { files.append($0) } }
                        }
                    }
                    return try evict(files, path)
                }
            }
        }
        return ItemsResponse(outcomes: outcomes)
    }

    /// Asks those who present the item, or something below it, before its bytes go. Where nobody presents anything there is nobody to ask.
    private func withConsent(
        _ path: MountPath, _ evict: () async throws -> [ItemOutcome]
    ) async throws -> [ItemOutcome] {
        guard !device.claims.ledger.letters.isEmpty else { return try await evict() }
        let find: @Sendable () throws -> LocalItem? = { [self] in try item(at: path) }
        // What is not there is told below.
        guard let item = try? await blocking(find) else { return try await evict() }
        let claim: ClaimID
        do throws(ClaimError) { claim = try await device.claims.claimToEvict(item.node) } catch {
            let failure = DaemonFailure(.busy, sentences: error.message, path: path.description)
            return [ItemOutcome(path: path, failure: failure)]
        }
        defer { device.claims.finishEviction(claim) }
        return try await evict()
    }

    private func evict(_ files: [LocalItem], _ path: MountPath) throws -> ItemOutcome {
        var evicted = (items: UInt64(0), bytes: UInt64(0))
        var refusal: EvictionRefusal?
        for file in files {
            do {
                try device.engine.evictor.evict(file.node)
                if file.presence != .none, file.size > 0 { evicted = (evicted.items + 1, evicted.bytes + file.size) }
            } catch let error as EvictionRefusal { refusal = refusal ?? error }
        }
        let failure = refusal.map { refusal in
            DaemonFailure(
                refusal.code, "its local bytes were kept because \(refusal.rawValue)", path: path.description)
        }
        return ItemOutcome(path: path, items: evicted.items, bytes: evicted.bytes, failure: failure)
    }

    func pin(_ request: PinRequest) async throws -> ItemsResponse {
        guard let pin = PinState(request.pin) else {
            throw DaemonFailure(
                .invalidRequest, "excluding is not a pin", advice: "Set user.ubiquity.isExcludedFromSync.")
        }
        return ItemsResponse(
            outcomes: try await each(request.paths) { path in
                let items = try items(at: path)
                for item in items { try device.files.setPin(pin, of: item.node) }
                return ItemOutcome(path: path, items: UInt64(items.count))
            })
    }

    /// Does something for each path; what fails for one says so in its outcome.
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

extension EvictionRefusal {
    fileprivate var code: DaemonFailure.Code {
        switch self {
        case .isFolder: .invalidRequest
        case .isOpen, .isPresented: .busy
        case .isEdited, .isExcluded: .notUploaded
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
        case .excluded: return nil
        }
    }
}
