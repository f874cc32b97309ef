import ClaimService
import CloudModel
import ControlServer
import Coordination
import DaemonProtocol
import LocalMetadata
import VirtualFileSystem

struct PresenterHandler: NounHandler {
    let device: MountedDevice

    func register(in router: inout CallRouter) {
        router.on(present)
        router.on { (request: WithdrawRequest, client) in try withdraw(request, client) }
        router.on { (request: AnswerRequest, client) in answer(request, client) }
        router.onEvents(of: PresenterEventsRequest.self) { _, client in try letters(for: client) }
    }

    /// Adds a presenter of this client, removed when its connection ends.
    func present(_ request: PresentRequest, _ client: ClientContext) async throws -> PresentingResponse {
        guard (request.purpose?.utf8.count ?? 1) <= 256 else {
            throw DaemonFailure(.invalidRequest, "a purpose has at most 256 bytes")
        }
        let presenter = try await device.claims.addPresenter(of: client) {
            try await blocking { [self] in try register(request, client) }
        }
        return PresentingResponse(presenter: presenter.value)
    }

    /// Registers a presenter while no name can change between the lookup of its path and the registration.
    private func register(_ request: PresentRequest, _ client: ClientContext) throws -> PresenterID {
        try device.files.withNamesFrozen {
            let key = try device.metadata.read { try device.spot(at: request.path, $0).key }
            return device.claims.present(
                PresenterRegistration(
                    client: ClientID(client.connection), key: key, callbacks: Set(request.callbacks),
                    purpose: request.purpose.map { .named($0) },
                    observed: request.observed.map { UbiquityAttributes($0) } ?? .all))
        }
    }

    func withdraw(_ request: WithdrawRequest, _ client: ClientContext) throws -> DoneResponse {
        guard device.claims.withdraw(PresenterID(request.presenter), of: client) else {
            throw DaemonFailure(.notFound, "this connection has no presenter with number \(request.presenter)")
        }
        return DoneResponse()
    }

    /// Passes on an answer. An answer that is late, or to no question, succeeds as well, since no program waits for it.
    func answer(_ request: AnswerRequest, _ client: ClientContext) -> DoneResponse {
        let answer = request.failure.map { PresenterReply.failed(String($0.prefix(1_000))) } ?? .done
        device.claims.answer(AskID(request.question), answer, of: client)
        return DoneResponse()
    }

    // MARK: Letters

    private func letters(for client: ClientContext) throws -> CallRouter.Events {
        try device.claims.beginDeliveries(to: client)
        return CallRouter.Events {
            while let next = await device.claims.nextDelivery(to: client) {
                if let event = await event(next.presenter, next.message) { return event }
            }
            return nil
        }
    }

    /// Returns nil for a notice about an item gone by now.
    private func event(_ presenter: PresenterID, _ letter: PresenterDelivery) async -> DaemonEvent? {
        let id = presenter.value
        switch letter {
        case .ask(let ask, let messages):
            var parts: [PresenterQuestion.Part] = []
            for message in messages {
                parts.append(.init(message.callback, path: await current(message.subitem)))
            }
            return .question(PresenterQuestion(presenter: id, question: ask.value, parts: parts))
        case .reacquire(let ask): return .reacquire(PresenterReacquire(presenter: id, question: ask.value))
        case .notice(let notice): return await event(presenter, notice).map { .event($0) }
        }
    }

    private func event(_ presenter: PresenterID, _ notice: PresenterNotice) async -> PresenterEvent? {
        let hasPath = notice.callback.parameters.contains(.path)
        let path = await current(notice.subitem ?? (hasPath ? device.claims.place(of: presenter) : nil))
        guard path != nil || !hasPath else { return nil }
        return PresenterEvent(
            presenter: presenter.value, callback: notice.callback, path: path,
            from: await current(notice.from.map { .vacant($0) }), version: notice.version.map { "\($0)" },
            attributes: notice.attributes?.observable)
    }

    /// Returns the current path of an item or a name; nil if it is gone.
    private func current(_ key: ItemKey?) async -> MountPath? {
        guard let key else { return nil }
        // An item no longer readable has no path to send.
        guard let path = try? await blocking({ [self] in try device.path(of: key) }) else { return nil }
        // A removed item has no names.
        return path.isRoot ? nil : path
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
