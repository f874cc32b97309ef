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
        router.on(claim, atOnce: claimAtOnce)
        router.on(finish, atOnce: finishAtOnce)
    }

    /// Waits for coordinated access. The claim is the client's until it finishes it or goes.
    func claim(_ request: AccessRequest, _ client: ClientContext) async throws -> GrantedResponse {
        try request.validate()
        try device.claims.ledger.add(client)
        return try await admittedClaim(request, client)
    }

    /// Of a request that the ledger knows: finished from now on, it is called off.
    func admittedClaim(_ request: AccessRequest, _ client: ClientContext) async throws -> GrantedResponse {
        let outcome = ClaimOutcome()
        return try await granted(outcome, request, client) {
            try await blocking { [self] in try open(request, client) { outcome.put($0) } }
        }
    }

    /// Begins it, and answers once it is granted; takes it back if that fails.
    func granted(
        _ outcome: ClaimOutcome, _ request: AccessRequest, _ client: ClientContext,
        begin: () async throws -> Void = {}
    ) async throws -> GrantedResponse {
        let claims = device.claims
        do {
            try await begin()
            let items = try await outcome.items
            let paths = try await blocking { [self] in try items.map { try mounted.path(of: $0) } }
            return granted(items, at: paths, request, client, isWhole: false)
        } catch {
            if let id = claims.ledger.claim(client.request, of: client) { claims.abandon(id, of: client) }
            claims.ledger.remove(client.request, of: client)
            throw (error as? ClaimError).map(DaemonFailure.init) ?? error
        }
    }

    func granted(
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

    func finish(_ request: FinishRequest, _ client: ClientContext) async throws -> DoneResponse {
        await noteEdits(request, client)
        switch device.claims.finish(request.claim, of: client) {
        case .claim, .calledOff: return DoneResponse()
        case .none: throw DaemonFailure(.notFound, "this connection has no claim of number \(request.claim)")
        case .revoked: throw Self.revocation
        }
    }

    static let revocation = DaemonFailure(
        .notFound, "the claim was taken away, as the program was stopped for too long",
        advice: "Others may have read and written the item in the meantime.")

    /// Reports what was written under the claim as its doing. Without presenters there is nothing to send.
    private func noteEdits(_ request: FinishRequest, _ client: ClientContext) async {
        guard !device.claims.ledger.deliveries.isEmpty else { return }
        let nodes = Set(
            device.claims.ledger.written(request.claim, of: client).compactMap { key in
                if case .item(let item) = key { item.node } else { nil }
            })
        guard !nodes.isEmpty else { return }
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
            guard let next = try transaction.item(named: try name(bytes, path), in: folder), next.kind == .folder
            else {
                throw DaemonFailure(.notFound, "the folder of the item does not exist", path: path.description)
            }
            onRow(next)
            folder = next.node
        }
        let place = ItemPlace(folder: ItemNumber(folder), name: try name(last, path))
        let item = try transaction.item(named: place.name, in: folder)
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
            case .item(let item): try transaction.path(of: item.node)
            case .vacant(let place): try transaction.path(of: place.folder.node) + [place.name]
            }
        }
        return try MountPath(bytes: Array(names.map(\.bytes).joined(separator: [UInt8(ascii: "/")])))
    }
}
