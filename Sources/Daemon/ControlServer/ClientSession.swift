import Basics
import DaemonProtocol
import FoundationEssentials
import Logging
import NIOCore
import Synchronization

/// A connection: reads requests, performs each in a separate task, and writes responses. The session ends with the
/// connection, cancelling all running requests.
final class ClientSession: Sendable {
    typealias Wire = NIOAsyncChannel<ClientMessage, ByteBuffer>

    /// The number of the connection, unique in this daemon.
    private let number: UInt64
    private let peer: PeerCredentials
    let handler: any RequestHandler
    /// The decodable calls.
    private let calls: CallRegistry
    private let limits: SocketServer.Limits
    private let logger: Logger
    let state: Mutex<SessionState>
    /// The number of frames on their way to the session's task; later messages are not handled before them.
    let unread = Atomic(0)
    /// The client's functions for ending requests that send events or wait.
    let endings = Mutex(Endings())

    init(
        number: UInt64, peer: PeerCredentials, identity: HelloResponse, handler: any RequestHandler,
        calls: CallRegistry, limits: SocketServer.Limits, logger: Logger
    ) {
        self.number = number
        self.peer = peer
        self.handler = handler
        self.calls = calls
        self.limits = limits
        self.logger = logger
        state = Mutex(
            SessionState(
                identity: identity, maximumRequests: limits.maximumRequests,
                maximumClaims: SocketServer.Limits.maximumClaims,
                maximumStreams: SocketServer.Limits.maximumStreams))
    }

    /// Serves until the client disconnects, violates the protocol, or the task is cancelled.
    func run(_ channel: Wire) async throws {
        // A running request may have acquired something after the disconnection was noticed.
        defer { handler.ended(number) }
        try await channel.executeThenClose { inbound, outbound in
            try await withThrowingDiscardingTaskGroup { group in
                defer { handler.ended(number) }
                let connection = Connection(channel: channel.channel, outbound: outbound)
                group.addTask { await connection.whileItLasts { try await self.keepAlive(connection) } }
                for try await message in inbound {
                    guard try await self.receive(message, connection, &group) else { break }
                }
                group.cancelAll()
            }
        }
    }

    /// Throws if the client sends no hello in time; after that, sends heartbeats.
    private func keepAlive(_ connection: Connection) async throws {
        try await Task.sleep(for: limits.helloTimeout)
        guard state.withLock({ $0.program }) != nil else { throw SessionError.noHello }
        while true {
            try await send(DaemonEnvelope(id: 0, .event(.alive)), connection)
            try await Task.sleep(for: limits.heartbeat)
        }
    }

    /// Handles a message; returns whether the connection continues.
    private func receive(
        _ message: ClientMessage, _ connection: Connection, _ group: inout ThrowingDiscardingTaskGroup<any Error>
    ) async throws -> Bool {
        switch message {
        case .frame(let frame):
            defer { unread.subtract(1, ordering: .sequentiallyConsistent) }
            return try await receive(Data(frame.readableBytesView), connection, &group)
        case .admitted(let id, let request): try await begin(request, id: id, connection, &group)
        case .begun(let id, let request, let rest): try await begin(request, id: id, connection, &group, rest)
        }
        return true
    }

    private func receive(
        _ payload: Data, _ connection: Connection, _ group: inout ThrowingDiscardingTaskGroup<any Error>
    ) async throws -> Bool {
        let isBinary = BinaryFrame.begins(with: payload.first)
        let envelope: ClientEnvelope
        do {
            envelope =
                try isBinary
                ? binaryEnvelope(Array(payload)) : ControlFrame.decode(ClientEnvelope.self, from: payload, calls: calls)
        } catch {
            try await refuse(payload, because: error, connection)
            // Malformed binary frames indicate a defective program; later frames could be misread.
            return !isBinary
        }
        switch state.withLock({ $0.received(envelope) }) {
        case .answer(let answer):
            try await send(answer, connection)
        case .refuse(let answer):
            try await send(answer, connection)
            return false
        case .perform(let id, let request):
            // Requests are begun here too, in the order of their arrival: a cancellation following a claim refers to
            // that claim.
            let prompt = handler.respondAtOnce(request, from: client(id))
            try await begin(request, id: id, connection, &group, prompt?.rest)
        }
        return true
    }

    /// Reads a binary frame.
    ///
    /// - Throws: `invalidRequest` if the frame is malformed, or if the hello did not agree on such frames.
    private func binaryEnvelope(_ payload: [UInt8]) throws(DaemonFailure) -> ClientEnvelope {
        guard state.withLock({ $0.hasBinaryFrames }) else {
            throw DaemonFailure(
                .invalidRequest, "the hello did not agree on binary frames",
                advice: "Send a hello with binaryFrames first, or send JSON.")
        }
        do throws(ByteCodingError) { return try ClientEnvelope(binary: payload) } catch {
            throw BinaryFrame.malformed(error)
        }
    }

    /// Begins a request. A brief request is performed before the next is read, so a client flooding the daemon with
    /// them delays only itself.
    private func begin(
        _ request: DaemonRequest, id: UInt64, _ connection: Connection,
        _ group: inout ThrowingDiscardingTaskGroup<any Error>, _ rest: PromptResponse.Rest? = nil
    ) async throws {
        if request.call.admission == .brief { return try await perform(request, id: id, connection, rest) }
        group.addTask { await connection.whileItLasts { try await self.perform(request, id: id, connection, rest) } }
    }

    private func refuse(_ payload: Data, because error: any Error, _ connection: Connection) async throws {
        let answer = DaemonEnvelope(
            id: ControlFrame.requestID(of: payload), .failure(ControlFrame.refusal(of: error)))
        try await send(answer, connection)
    }

    private func perform(
        _ request: DaemonRequest, id: UInt64, _ connection: Connection, _ rest: PromptResponse.Rest? = nil
    ) async throws {
        let body = try await outcome(of: request, id: id, connection, rest)
        // The number is released before the response is sent, since the client may reuse it immediately.
        endings.withLock { endings in
            state.withLock { $0.finished(id) }
            endings.remove(id)
        }
        if request.call.wantsResponse { try await send(DaemonEnvelope(id: id, body), connection) }
        // A failed request was not performed, so it has no consequences either.
        if case .response = body { await handler.didRespond(request) }
    }

    private func outcome(
        of request: DaemonRequest, id: UInt64, _ connection: Connection, _ rest: PromptResponse.Rest?
    ) async throws -> DaemonEnvelope.Body {
        let client = client(id)
        logger.trace(
            "command",
            metadata: [
                "of": "\(request.verb)", "program": "\(client.program)", "process": "\(client.processID)",
            ])
        do {
            if let rest { return .response(try await rest()) }
            if let end = request.call as? UnfollowRequest { return unfollow(end) }
            if let events = try await handler.stream(request, from: client) {
                return try await follow(events, id: id, connection)
            }
            return try await endable(id) { [handler] in try await handler.handle(request, from: client) }
        } catch let failure as DaemonFailure {
            logger.debug("a command failed", metadata: ["of": "\(request.verb)", "why": "\(failure)"])
            return .failure(failure)
        } catch {
            try Task.checkCancellation()
            logger.error("A request failed with an unexpected error", metadata: ["error": "\(error)"])
            return .failure(DaemonFailure(.failed, "the daemon failed: \(error)", advice: "See its log."))
        }
    }

    func client(_ request: UInt64) -> ClientContext {
        ClientContext(
            connection: number, request: request, processID: peer.processID, userID: peer.userID,
            program: state.withLock { $0.program } ?? "")
    }

    func send(_ envelope: DaemonEnvelope, _ connection: Connection) async throws {
        let frame: [UInt8]
        do {
            frame = try ControlFrame.frame(envelope, isBinary: state.withLock { $0.hasBinaryFrames })
        } catch let failure as DaemonFailure {
            // The response is too long to send: the client receives an error instead.
            frame = try ControlFrame.frame(DaemonEnvelope(id: envelope.id, .failure(failure)))
        }
        try await connection.outbound.write(ByteBuffer(bytes: frame))
    }
}

enum SessionError: Error {
    case noHello
}
