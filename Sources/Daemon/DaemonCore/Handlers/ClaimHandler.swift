import ClaimService
import CloudModel
import ControlServer
import Coordination
import DaemonProtocol
import LocalMetadata
import Logging
import VirtualFileSystem

struct ClaimHandler: NounHandler {
    let mounted: MountedDevice
    let logger: Logger

    func register(in router: inout CallRouter) {
        router.on(AccessRequest.self, prompt: claim)
        router.on(FinishRequest.self, prompt: finish)
    }

    /// Begins coordinated access, without waiting. The claim is the client's until it finishes it or goes; finished before it is granted,
    /// it is called off.
    ///
    /// - Returns: `now` for a claim that is granted already. `later` opens the claim, where that reads the database or a lock is taken,
    ///   and waits for the grant; it throws what is wrong with the request.
    func claim(_ request: AccessRequest, _ client: ClientContext) -> PromptResponse {
        do throws(DaemonFailure) {
            try request.validate()
            // In the order in which requests arrive: a `finish` that follows at once finds it.
            try device.claims.ledger.add(client)
        } catch { return .later { throw error } }
        let outcome = ClaimOutcome()
        guard let opened = device.claims.oneAtATime({ openAtOnce(request, client, outcome) }) else {
            return .later {
                try await mounted.describing {
                    DaemonResponse(
                        try await granted(outcome, request, client) {
                            try await blocking { [self] in try open(request, client) { outcome.put($0) } }
                        })
                }
            }
        }
        // Granted while no name could change: everything is where it was asked for.
        if case .success(let items)? = opened.outcome {
            let paths = request.accesses.map(\.path)
            return .now(DaemonResponse(granted(items, at: paths, request, client, isWhole: opened.isWhole)))
        }
        return .later { try await mounted.describing { DaemonResponse(try await granted(outcome, request, client)) } }
    }

    /// Waits until the claim is granted, after `open` unless it is open already. Takes it back if that fails.
    private func granted(
        _ outcome: ClaimOutcome, _ request: AccessRequest, _ client: ClientContext,
        open: () async throws -> Void = {}
    ) async throws -> GrantedResponse {
        let claims = device.claims
        do {
            try await open()
            let items = try await outcome.items
            let paths = try await blocking { [self] in try items.map { try mounted.path(of: $0) } }
            return granted(items, at: paths, request, client, isWhole: false)
        } catch {
            if let id = claims.ledger.claim(client.request, of: client) { claims.abandon(id, of: client) }
            claims.ledger.remove(client.request, of: client)
            throw (error as? ClaimError).map(DaemonFailure.init) ?? error
        }
    }

    private func granted(
        _ items: [ItemKey], at paths: [MountPath], _ request: AccessRequest, _ client: ClientContext, isWhole: Bool
    ) -> GrantedResponse {
        let ledger = device.claims.ledger
        ledger.note(zip(items, request.accesses).filter { $0.1.mode == .write }.map(\.0), of: client)
        // None where it was finished in the meantime: nothing is within it then.
        return GrantedResponse(
            paths: paths, claim: ledger.claim(client.request, of: client)?.value ?? 0, isWhole: isWhole ? true : nil)
    }

    /// No name changes between the look at what a path means and the request for it: a file renamed over the document just then would be
    /// another item, which no program holds yet.
    private func open(
        _ request: AccessRequest, _ client: ClientContext,
        _ outcome: @escaping @Sendable (Result<[ItemKey], ClaimError>) -> Void
    ) throws {
        try device.files.withNamesFrozen {
            device.claims.open(try coordinated(request, client), for: client, outcome)
        }
    }

    /// Ends a claim, or calls off one that waits.
    ///
    /// - Returns: `later` where presenters have to be notified first of what was written under the claim, and for a claim that is not there
    ///   or was revoked.
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
            throw DaemonFailure(.notFound, "this connection has no claim of number \(request.claim)")
        case .revoked:
            throw DaemonFailure(
                .notFound, "the claim was taken away, as the program was stopped for too long",
                advice: "Others may have read and written the item in the meantime.")
        }
    }

    /// The items that a granted claim writes, as far as presenters have to be notified. Without presenters there are none.
    private func writtenNodes(_ request: FinishRequest, _ client: ClientContext) -> Set<NodeID> {
        let ledger = device.claims.ledger
        guard !ledger.deliveries.isEmpty else { return [] }
        return Set(
            ledger.written(request.claim, of: client).compactMap { key in
                if case .item(let item) = key { item.node } else { nil }
            })
    }

    /// Reports what was written under a claim as its doing.
    private func noteEdits(_ nodes: Set<NodeID>) async {
        do { try await blocking { [self] in try device.files.noteEdits(atAndBelow: nodes) } } catch {
            // The close of the file tries again; then its writer learns of it too.
            logger.warning("could not note what was written under a claim", metadata: ["error": "\(error)"])
        }
    }

    // MARK: From the wire to the arbiter

    private func coordinated(_ request: AccessRequest, _ client: ClientContext) throws -> ClaimRequest {
        let epoch = device.claims.known.epoch
        var rows: [ItemCache.Row] = []
        let accesses = try device.metadata.read { transaction in
            try request.accesses.map { wanted in
                let (key, place) = try mounted.spot(at: wanted.path, transaction) { rows.append(ItemCache.Row($0)) }
                return Access(key, try Access.Mode(wanted), place: place, mayCreate: true)
            }
        }
        device.claims.known.learn(rows, of: epoch)
        return ClaimRequest(request, accesses, client)
    }
}

extension MountedDevice {
    /// What a path means: the item that is there, or the name in its folder.
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
        let names = try device.metadata.read { transaction in
            switch key {
            case .item(let item): try transaction.local.path(of: item.node)
            case .vacant(let place): try transaction.local.path(of: place.folder.node) + [place.name]
            }
        }
        return try MountPath(bytes: Array(names.map(\.bytes).joined(separator: [UInt8(ascii: "/")])))
    }
}
