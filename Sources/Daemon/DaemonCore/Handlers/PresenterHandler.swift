import CloudModel
import Coordination
import DaemonProtocol
import LocalMetadata
import VirtualFileSystem

extension DaemonService {
    /// Adds a presenter of this client. It is gone with its connection.
    func present(_ request: PresentRequest, _ client: ClientContext) async throws -> PresentingResponse {
        guard (request.purpose?.utf8.count ?? 1) <= 256 else {
            throw DaemonFailure(.invalidRequest, "a purpose has at most 256 bytes")
        }
        let letters = device.claims.ledger.deliveries
        try letters.add(client)
        do {
            return PresentingResponse(presenter: try await blocking { [self] in try register(request, client).value })
        } catch {
            letters.remove(nil, of: client)
            throw error
        }
    }

    /// No name changes between the look at what the path means and the registration.
    private func register(_ request: PresentRequest, _ client: ClientContext) throws -> PresenterID {
        try device.files.withNamesFrozen {
            let key = try device.metadata.read { try spot(at: request.path, $0).key }
            return device.claims.present(
                PresenterRegistration(
                    client: ClientID(client.connection), key: key, callbacks: PresenterCallbacks(request.callbacks),
                    purpose: request.purpose.map { .named($0) },
                    observed: request.observed.map { UbiquityAttributes($0) } ?? .all))
        }
    }

    func withdraw(_ request: WithdrawRequest, _ client: ClientContext) throws -> DoneResponse {
        guard device.claims.withdraw(PresenterID(request.presenter), of: client) else {
            throw DaemonFailure(.notFound, "this connection has no presenter of number \(request.presenter)")
        }
        return DoneResponse()
    }

    /// An answer that comes too late, or to nothing, is as good as one that came in time: no program waits for it.
    func answer(_ request: AnswerRequest, _ client: ClientContext) -> DoneResponse {
        let answer = request.failure.map { PresenterAnswer.failed(String($0.prefix(1_000))) } ?? .done
        device.claims.answer(AskID(request.question), answer, of: client)
        return DoneResponse()
    }

    // MARK: Letters

    func letters(for client: ClientContext) async throws -> AsyncStream<DaemonEvent> {
        let letters = device.claims.ledger.deliveries
        try letters.beginReading(client)
        return AsyncStream {
            while let next = await letters.next(of: client.connection) {
                if let event = await event(next.presenter, next.letter) { return event }
            }
            return nil
        }
    }

    /// Nil for news of an item that has gone since.
    private func event(_ presenter: PresenterID, _ letter: PresenterDelivery) async -> DaemonEvent? {
        let id = presenter.value
        switch letter {
        case .ask(let ask, let messages):
            var parts: [PresenterQuestion.Part] = []
            for message in messages { parts.append(await part(message)) }
            return .question(PresenterQuestion(presenter: id, question: ask.value, parts: parts))
        case .reacquire(let ask): return .comeBack(PresenterReturn(presenter: id, question: ask.value))
        case .notice(let notice): return await news(id, notice).map { .news($0) }
        }
    }

    private func part(_ message: PresenterMessage) async -> PresenterQuestion.Part {
        switch message {
        case .relinquishToReader: .init(.relinquishToReader)
        case .relinquishToWriter: .init(.relinquishToWriter)
        case .saveChanges: .init(.saveChanges)
        case .accommodateDeletion: .init(.accommodateDeletion)
        case .accommodateEviction: .init(.accommodateEviction)
        case .accommodateSubitemDeletion(let key): .init(.accommodateSubitemDeletion, path: await current(key))
        }
    }

    private func news(_ presenter: UInt64, _ notice: PresenterNotice) async -> PresenterEvent? {
        switch notice {
        case .changed: return PresenterEvent(presenter: presenter, callback: .didChange)
        case .moved:
            let place = device.claims.place(of: PresenterID(presenter))
            guard let place, let path = await current(place) else { return nil }
            return PresenterEvent(presenter: presenter, callback: .didMove, path: path)
        case .deleted: return PresenterEvent(presenter: presenter, callback: .accommodateDeletion)
        case .subitemAppeared(let item): return await news(presenter, .subitemDidAppear, .item(item))
        case .subitemChanged(let item): return await news(presenter, .subitemDidChange, .item(item))
        case .subitemMoved(let item, let place):
            return await news(presenter, .subitemDidMove, .item(item), from: await current(.vacant(place)))
        case .subitemDeleted(_, let place): return await news(presenter, .accommodateSubitemDeletion, .vacant(place))
        case .version(let version, .gained):
            return PresenterEvent(presenter: presenter, callback: .didGainVersion, version: "\(version)")
        case .version(let version, .resolved):
            return PresenterEvent(presenter: presenter, callback: .didResolveConflict, version: "\(version)")
        case .subitemVersion(let item, let version, .gained):
            return await news(presenter, .subitemDidGainVersion, .item(item), version: version)
        case .subitemVersion(let item, let version, .resolved):
            return await news(presenter, .subitemDidResolveConflict, .item(item), version: version)
        case .version(let version, .lost):
            return PresenterEvent(presenter: presenter, callback: .didLoseVersion, version: "\(version)")
        case .subitemVersion(let item, let version, .lost):
            return await news(presenter, .subitemDidLoseVersion, .item(item), version: version)
        case .attributesChanged(let attributes):
            return PresenterEvent(
                presenter: presenter, callback: .didChangeUbiquityAttributes, attributes: attributes.observable)
        }
    }

    private func news(
        _ presenter: UInt64, _ callback: PresenterCallback, _ key: ItemKey, from: MountPath? = nil,
        version: VersionID? = nil
    ) async -> PresenterEvent? {
        guard let path = await current(key) else { return nil }
        return PresenterEvent(
            presenter: presenter, callback: callback, path: path, from: from, version: version.map { "\($0)" })
    }

    /// Where an item or a name is now; nil if it has gone.
    private func current(_ key: ItemKey) async -> MountPath? {
        // What can not be read any more has no path to send.
        guard let path = try? await blocking({ [self] in try self.path(of: key) }) else { return nil }
        // What is gone has no names.
        return path.isRoot ? nil : path
    }
}

extension PresenterCallbacks {
    init(_ callbacks: [PresenterCallback]) {
        self.init(callbacks.map(Self.init))
    }

    private init(_ callback: PresenterCallback) {
        switch callback {
        case .relinquishToReader: self = .relinquishToReader
        case .relinquishToWriter: self = .relinquishToWriter
        case .saveChanges: self = .saveChanges
        case .accommodateDeletion: self = .accommodateDeletion
        case .accommodateSubitemDeletion: self = .accommodateSubitemDeletion
        case .accommodateEviction: self = .accommodateEviction
        case .didMove: self = .didMove
        case .didChange: self = .didChange
        case .subitemDidAppear: self = .subitemDidAppear
        case .subitemDidMove: self = .subitemDidMove
        case .subitemDidChange: self = .subitemDidChange
        case .didChangeUbiquityAttributes: self = .didChangeAttributes
        case .didGainVersion, .didLoseVersion, .didResolveConflict: self = .versions
        case .subitemDidGainVersion, .subitemDidLoseVersion, .subitemDidResolveConflict: self = .subitemVersions
        }
    }
}

extension UbiquityAttributes {
    init(_ attributes: [ObservableAttribute]) { self.init(attributes.map(Self.init)) }

    private init(_ attribute: ObservableAttribute) {
        switch attribute {
        case .isUbiquitousItem: self = .isUbiquitous
        case .containerDisplayName: self = .containerDisplayName
        case .fact(let fact): self.init(fact)
        }
    }

    var observable: [ObservableAttribute] { ObservableAttribute.allCases.filter { contains(Self($0)) } }
}
