import ClaimService
import CloudModel
import ControlServer
import Coordination
import DaemonProtocol
import LocalMetadata
import Logging
import VirtualFileSystem

struct ClaimHandler: NounHandler {
    let device: MountedDevice
    let logger: Logger

    func register(in router: inout CallRouter) {
        router.on(AccessRequest.self, prompt: claim)
        router.on(FinishRequest.self, prompt: finish)
    }

    /// Begins coordinated access, without waiting. The claim belongs to the client until the client finishes it or
    /// disconnects; if it is finished before it is granted, it is cancelled.
    ///
    /// - Returns: `now` for an already granted claim. `later` opens the claim, if that reads the database or a lock is
    ///   held, and waits for the grant; it throws if the request is invalid.
    func claim(_ request: AccessRequest, _ client: ClientContext) -> PromptResponse {
        do throws(DaemonFailure) {
            try request.validate()
            // Claims are added in the order of their requests, so that an immediately following `finish` finds them.
            try device.claims.makeRoom(for: client)
        } catch { return .later { throw error } }
        let outcome = ClaimOutcome()
        guard let opened = device.claims.oneAtATime({ openAtOnce(request, client, outcome) }) else {
            return .later {
                try await device.describing {
                    DaemonResponse(
                        try await granted(outcome, request, client) {
                            try await blocking { [self] in try open(request, client) { outcome.put($0) } }
                        })
                }
            }
        }
        // The claim was granted while no name could change, so every item is still at its requested path.
        if case .success(let items)? = opened.outcome {
            let paths = request.accesses.map(\.path)
            return .now(DaemonResponse(granted(items, at: paths, request, client, isWhole: opened.isWhole)))
        }
        return .later { try await device.describing { DaemonResponse(try await granted(outcome, request, client)) } }
    }

    /// Waits until the claim is granted, after `open` if it is not open already. Releases the claim on failure.
    private func granted(
        _ outcome: ClaimOutcome, _ request: AccessRequest, _ client: ClientContext,
        open: () async throws -> Void = {}
    ) async throws -> GrantedResponse {
        do {
            try await open()
            let items = try await outcome.items
            let paths = try await blocking { [self] in try items.map { try device.path(of: $0) } }
            return granted(items, at: paths, request, client, isWhole: false)
        } catch {
            device.claims.cancel(client)
            throw (error as? ClaimError).map(DaemonFailure.init) ?? error
        }
    }

    private func granted(
        _ items: [ItemKey], at paths: [MountPath], _ request: AccessRequest, _ client: ClientContext, isWhole: Bool
    ) -> GrantedResponse {
        let written = zip(items, request.accesses).filter { $0.1.mode == .write }.map(\.0)
        let claim = device.claims.noteGrant(to: client, writing: written)
        // If the claim was finished in the meantime it has no number, since nothing can be within it.
        return GrantedResponse(paths: paths, claim: claim?.value ?? 0, isWhole: isWhole ? true : nil)
    }

    /// Opens a claim while no name can change between the lookup of a path and the request for its item. Otherwise, a
    /// file renamed over the document at that moment would be a different item, not yet held by any program.
    private func open(
        _ request: AccessRequest, _ client: ClientContext,
        _ outcome: @escaping @Sendable (Result<[ItemKey], ClaimError>) -> Void
    ) throws {
        try device.files.withNamesFrozen {
            device.claims.open(try coordinated(request, client), for: client, outcome)
        }
    }

    /// Releases a claim, or cancels a waiting one.
    ///
    /// - Returns: `later` if presenters have to be notified first of the claim's writes, and for a nonexistent or
    ///   revoked claim.
    func finish(_ request: FinishRequest, _ client: ClientContext) -> PromptResponse {
        let written = writtenNodes(request, client)
        guard written.isEmpty else {
            return .later {
                await noteEdits(written)
                return try end(request, client)
            }
        }
        do throws(DaemonFailure) { return .now(try end(request, client)) } catch { return .later { throw error } }
    }

    private func end(_ request: FinishRequest, _ client: ClientContext) throws(DaemonFailure) -> DaemonResponse {
        switch device.claims.finish(request.claim, of: client) {
        case .claim, .calledOff: return DaemonResponse(DoneResponse())
        case .none:
            throw DaemonFailure(.notFound, "this connection has no claim with number \(request.claim)")
        case .revoked:
            throw DaemonFailure(
                .notFound, "the claim was revoked, as the program was stopped for too long",
                advice: "Others may have read and written the item in the meantime.")
        }
    }

    /// Returns a granted claim's written items, for notices to presenters; none if there are no presenters.
    private func writtenNodes(_ request: FinishRequest, _ client: ClientContext) -> Set<NodeID> {
        Set(
            device.claims.writtenItems(under: request.claim, of: client).compactMap { key in
                if case .item(let item) = key { item.node } else { nil }
            })
    }

    /// Attributes changes made under a claim to that claim.
    private func noteEdits(_ nodes: Set<NodeID>) async {
        do { try await blocking { [self] in try device.files.noteEdits(atAndBelow: nodes) } } catch {
            // The close of the file retries this, and then its writer receives the error too.
            logger.warning("could not record writes under a claim", metadata: ["error": "\(error)"])
        }
    }

    // MARK: From the wire to the arbiter

    private func coordinated(_ request: AccessRequest, _ client: ClientContext) throws -> ClaimRequest {
        let epoch = device.claims.known.epoch
        var rows: [ItemCache.Row] = []
        let accesses = try device.metadata.read { transaction in
            try request.accesses.map { wanted in
                let (key, place) = try device.spot(at: wanted.path, transaction) { rows.append(ItemCache.Row($0)) }
                return Access(key, try Access.Mode(wanted), place: place, mayCreate: true)
            }
        }
        device.claims.known.learn(rows, of: epoch)
        return ClaimRequest(request, accesses, client)
    }
}

extension MountedDevice {
    /// Resolves a path: to its item, or to the name in its folder.
    func spot(
        at path: MountPath, _ transaction: MetadataTransaction, onRow: (LocalItem) -> Void = { _ in }
    ) throws -> (key: ItemKey, place: ItemPlace) {
        guard let last = path.components.last else {
            throw DaemonFailure(
                .invalidRequest, "the mount itself is not an item", path: configuration.mountPoint)
        }
        var folder = NodeID.root
        for bytes in path.components.dropLast() {
            guard let next = try transaction.local.item(named: try name(bytes, path), in: folder), next.kind == .folder
            else {
                throw DaemonFailure(.notFound, "the folder of the item does not exist", path: path.description)
            }
            onRow(next)
            folder = next.node
        }
        let place = ItemPlace(folder: ItemNumber(folder), name: try name(last, path))
        let item = try transaction.local.item(named: place.name, in: folder)
        item.map(onRow)
        return (item.map { .item(ItemNumber($0.node)) } ?? .vacant(place), place)
    }

    private func name(_ bytes: ArraySlice<UInt8>, _ path: MountPath) throws -> ItemName {
        do { return try ItemName(bytes: Array(bytes)) } catch {
            throw DaemonFailure(.invalidRequest, "no item can have that name", path: path.description)
        }
    }

    func path(of key: ItemKey) throws -> MountPath {
        let names = try metadata.read { transaction in
            switch key {
            case .item(let item): try transaction.local.path(of: item.node)
            case .vacant(let place): try transaction.local.path(of: place.folder.node) + [place.name]
            }
        }
        return try MountPath(bytes: Array(names.map(\.bytes).joined(separator: [UInt8(ascii: "/")])))
    }
}
