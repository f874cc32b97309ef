import CloudModel
import Coordination
import DaemonProtocol
import LocalMetadata
import Logging
import VirtualFileSystem

extension DaemonService {
    /// Waits for coordinated access. The claim is the client's until it finishes it or goes.
    func claim(_ request: AccessRequest, _ client: ClientContext) async throws -> GrantedResponse {
        try request.validate()
        let desk = device.claims
        try desk.ledger.add(client)
        do {
            let items = try await granted(request, client)
            let paths = try await blocking { [self] in try items.map(path) }
            desk.ledger.note(zip(items, request.accesses).filter { $0.1.mode == .write }.map(\.0), of: client)
            // None where it was finished in the meantime: nothing is within it then.
            return GrantedResponse(paths: paths, claim: desk.ledger.claim(client.request, of: client)?.value ?? 0)
        } catch {
            if let id = desk.ledger.claim(client.request, of: client) { desk.abandon(id, of: client) }
            desk.ledger.remove(client.request, of: client)
            throw (error as? ClaimError).map(DaemonFailure.init) ?? error
        }
    }

    private func granted(_ request: AccessRequest, _ client: ClientContext) async throws -> [ItemKey] {
        let (outcomes, outcome) = AsyncStream<Result<[ItemKey], ClaimError>>.makeStream()
        try await blocking { [self] in
            try open(request, client) { result in
                outcome.yield(result)
                outcome.finish()
            }
        }
        for await result in outcomes { return try result.get() }
        // The client left: the stream ends with the task.
        throw CancellationError()
    }

    /// No name changes between the look at what a path means and the request for it: a file renamed over the document just then would be
    /// another item, which nobody holds yet.
    private func open(
        _ request: AccessRequest, _ client: ClientContext,
        _ outcome: @escaping @Sendable (Result<[ItemKey], ClaimError>) -> Void
    ) throws {
        try device.files.gate.shared {
            try device.files.naming.exclusive {
                device.claims.open(try coordinated(request, client), for: client, outcome)
            }
        }
    }

    func finish(_ request: FinishRequest, _ client: ClientContext) async throws -> DoneResponse {
        await noteEdits(request, client)
        switch device.claims.finish(request.claim, of: client) {
        case .claim, .calledOff: return DoneResponse()
        case .none: throw DaemonFailure(.notFound, "this connection has no claim of number \(request.claim)")
        case .revoked:
            throw DaemonFailure(
                .notFound, "the claim was taken away, as the program was stopped for too long",
                advice: "Others may have read and written the item in the meantime.")
        }
    }

    /// What was written under the claim is told as its doing. Without presenters there is nobody to tell.
    private func noteEdits(_ request: FinishRequest, _ client: ClientContext) async {
        guard !device.claims.ledger.letters.isEmpty else { return }
        let nodes = Set(
            device.claims.ledger.written(request.claim, of: client).compactMap { key in
                if case .item(let item) = key { item.node } else { nil }
            })
        guard !nodes.isEmpty else { return }
        do { try await blocking { [self] in try device.files.noteEdits(atAndBelow: nodes) } } catch {
            // The close of the file tries again; then its writer hears of it too.
            daemon.logger.warning("could not note what was written under a claim", metadata: ["error": "\(error)"])
        }
    }

    // MARK: From the wire to the arbiter

    private func coordinated(_ request: AccessRequest, _ client: ClientContext) throws -> ClaimRequest {
        let id = ClientID(client.connection)
        return ClaimRequest(
            client: id, purpose: request.purpose.map { .named($0) } ?? .coordinator(id, client.request),
            accesses: try device.metadata.read { transaction in
                try request.accesses.map { try access($0, transaction) }
            }, presenter: request.presenter.map { PresenterID($0) }, enclosure: request.enclosure,
            patience: request.timeout.map { .seconds($0) })
    }

    private func access(_ wanted: WantedAccess, _ transaction: MetadataTransaction) throws -> Access {
        let mode = try Access.Mode(wanted)
        let (key, place) = try spot(at: wanted.path, transaction)
        return Access(key, mode, place: place, mayCreate: true)
    }

    /// What a path means: the item that is there, or the name in its folder.
    func spot(at path: MountPath, _ transaction: MetadataTransaction) throws -> (key: ItemKey, place: ItemPlace) {
        guard let last = path.components.last else {
            throw DaemonFailure(
                .invalidRequest, "the mount itself is not an item", path: daemon.configuration.mountPoint)
        }
        var folder = NodeID.root
        for bytes in path.components.dropLast() {
            guard let next = try transaction.item(named: try name(bytes, path), in: folder), next.kind == .folder
            else {
                throw DaemonFailure(.notFound, "the folder of the item does not exist", path: path.description)
            }
            folder = next.node
        }
        let place = ItemPlace(folder: ItemNumber(folder), name: try name(last, path))
        let item = try transaction.item(named: place.name, in: folder)
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

extension AccessRequest {
    fileprivate var enclosure: Enclosure? {
        within.map { .claim(ClaimID($0)) } ?? withinPresenter.map { .presenter(PresenterID($0)) }
    }

    fileprivate func validate() throws(DaemonFailure) {
        guard (1...64).contains(accesses.count) else {
            throw DaemonFailure(.invalidRequest, "a claim is of 1 to 64 items, not \(accesses.count)")
        }
        guard timeout.map({ $0 > 0 && $0 < 1e9 }) ?? true else {
            throw DaemonFailure(.invalidRequest, "the timeout is a number of seconds above 0")
        }
        guard (purpose?.utf8.count ?? 1) <= 256 else {
            throw DaemonFailure(.invalidRequest, "a purpose has at most 256 bytes")
        }
    }
}

extension Access.Mode {
    fileprivate init(_ wanted: WantedAccess) throws(DaemonFailure) {
        switch wanted.mode {
        case .read:
            let options = wanted.options.map(ReadingOptions.init)
            guard !options.contains(nil) else { throw Self.mismatch(wanted) }
            self = .reading(ReadingOptions(options.compactMap(\.self)))
        case .write:
            let options = wanted.options.map(WritingOption.init)
            guard !options.contains(nil), options.count <= 1 else { throw Self.mismatch(wanted) }
            self = .writing(options.first ?? nil)
        }
    }

    private static func mismatch(_ wanted: WantedAccess) -> DaemonFailure {
        let options = wanted.options.map(\.rawValue).joined(separator: ", ")
        return DaemonFailure(.invalidRequest, "a \(wanted.mode.rawValue) can not be: \(options)")
    }
}

extension ReadingOptions {
    fileprivate init?(_ option: AccessOption) {
        switch option {
        case .withoutChanges: self = .withoutChanges
        case .immediatelyAvailableMetadataOnly: self = .immediatelyAvailableMetadataOnly
        case .forUploading: self = .forUploading
        default: return nil
        }
    }
}

extension WritingOption {
    fileprivate init?(_ option: AccessOption) {
        switch option {
        case .forDeleting: self = .deleting
        case .forMoving: self = .moving
        case .forMerging: self = .merging
        case .forReplacing: self = .replacing
        case .contentIndependentMetadataOnly: self = .contentIndependentMetadataOnly
        default: return nil
        }
    }
}

extension DaemonFailure {
    fileprivate init(_ error: ClaimError) {
        let code: Code =
            switch error.code {
            case .cancelled: .cancelled
            case .timedOut: .timedOut
            case .deadlock: .deadlock
            case .itemGone: .notFound
            case .presenterFailed, .presenterKeepsItem: .busy
            }
        self.init(code, sentences: error.message)
    }
}
