package import DaemonProtocol
import Glibc
package import Logging
import NIOCore
import NIOExtras
import NIOPosix
import Synchronization

/// Serves the control socket: accepts clients of the same user, limits the requests of each, and passes them to a
/// handler.
///
/// A client may die at any byte: its connection ends, its tasks are cancelled, and no other program notices.
package struct SocketServer: Sendable {
    package struct Limits: Sendable {
        package var maximumClients = 64
        /// The maximum number of running requests per client.
        package var maximumRequests = 16
        /// The maximum number of granted and waiting claims per client.
        package static let maximumClaims = 256
        /// The maximum number of queries and other requests with events, per client.
        package static let maximumStreams = 64
        /// How long a client may be connected without sending a hello.
        package var helloTimeout: Duration = .seconds(5)
        package var heartbeat: Duration = ControlFrame.heartbeat
        package init() {}
    }

    private let descriptor: Int32
    private let identity: HelloResponse
    private let handler: any RequestHandler
    private let calls: CallRegistry
    private let limits: Limits
    private let logger: Logger
    private let connections = Connections()

    /// Creates a server for an already listening socket: clients may connect before ``run()``.
    package init(
        socket: consuming ControlSocket, identity: HelloResponse, handler: any RequestHandler, logger: Logger,
        limits: Limits = Limits()
    ) {
        descriptor = socket.release()
        self.identity = identity
        self.handler = handler
        var calls = handler.calls
        calls.add(HelloRequest.self)
        calls.add(UnfollowRequest.self)
        self.calls = calls
        self.limits = limits
        self.logger = logger
    }

    /// Serves until the task is cancelled. Returns when every client's tasks have ended. Must be called only once.
    package func run() async throws {
        // Closes late connections that were never served.
        defer { connections.closeAll() }
        try await accept()
    }

    private func accept() async throws {
        // Reading from a client begins when the client is served.
        let listener = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .childChannelOption(.autoRead, value: false)
            // New data wakes the loop again; a second read after each message would cost a system call.
            .childChannelOption(.maxMessagesPerRead, value: 1)
            .bind(descriptor, childChannelInitializer: configure)
        let clients = Counter()
        try await listener.executeThenClose { inbound in
            try await withThrowingDiscardingTaskGroup { group in
                for try await client in inbound { group.addTask { await self.serve(client, clients) } }
                group.cancelAll()
            }
        }
    }

    /// A connected client. It is not an `NIOAsyncChannel` yet: those must not be dropped, as happens to clients
    /// arriving while the server ends.
    private typealias Arrival = (peer: PeerCredentials, channel: any Channel)

    private typealias Client = (peer: PeerCredentials, channel: ClientSession.Wire)

    @Sendable private func configure(_ channel: any Channel) -> EventLoopFuture<Arrival> {
        connections.add(channel)
        return PeerCredentials.of(channel).flatMapThrowing { peer in
            let decoder = ByteToMessageHandler(
                LengthFieldBasedFrameDecoder(lengthFieldLength: .four),
                maximumBufferSize: ControlFrame.maximumLength + ControlFrame.headerLength)
            try channel.pipeline.syncOperations.addHandler(decoder)
            return (peer, channel)
        }
    }

    /// Begins to read from a client.
    private func open(_ arrival: Arrival, _ session: ClientSession) async throws -> Client {
        let channel = arrival.channel
        let wrapped = try await channel.eventLoop.submit {
            try channel.pipeline.syncOperations.addHandler(PromptLane(session))
            let wrapped = try ClientSession.Wire(wrappingChannelSynchronously: channel)
            // The call fails if the channel has ended meanwhile, and reading from it reports the end.
            channel.setOption(.autoRead, value: true).whenFailure { _ in channel.close(promise: nil) }
            return wrapped
        }.get()
        return (arrival.peer, wrapped)
    }

    private func serve(_ arrival: Arrival, _ clients: Counter) async {
        let session = ClientSession(
            number: connections.makeNumber(), peer: arrival.peer, identity: identity, handler: handler, calls: calls,
            limits: limits, logger: logger)
        do {
            await serve(try await open(arrival, session), session, clients)
        } catch {
            arrival.channel.close(promise: nil)
            logger.debug("A client disconnected before it was served", metadata: ["why": "\(error)"])
        }
    }

    private func serve(_ client: Client, _ session: ClientSession, _ clients: Counter) async {
        guard client.peer.mayControl(daemonOf: geteuid()) else {
            return await turnAway(client, .permissionDenied, "this daemon belongs to another user")
        }
        guard clients.enter(limit: limits.maximumClients) else {
            return await turnAway(client, .busy, "the daemon already has \(limits.maximumClients) clients")
        }
        defer { clients.leave() }
        do {
            try await session.run(client.channel)
        } catch {
            // Clients may disconnect at any time, so this deserves only a debug message.
            logger.debug(
                "A client's connection ended", metadata: ["pid": "\(client.peer.processID)", "why": "\(error)"])
        }
    }

    private func turnAway(_ client: Client, _ code: DaemonFailure.Code, _ message: String) async {
        let answer = DaemonEnvelope(id: 0, .failure(DaemonFailure(code, message)))
        do {
            let frame = try ControlFrame.frame(answer)
            try await client.channel.executeThenClose { _, outbound in
                try await outbound.write(ByteBuffer(bytes: frame))
            }
        } catch {
            logger.debug("A client disconnected before it was refused", metadata: ["why": "\(error)"])
        }
    }
}

/// The open connections, tracked so that none outlives the server.
private final class Connections: Sendable {
    private struct State {
        var open: [ObjectIdentifier: any Channel] = [:]
        var isOver = false
        var lastNumber: UInt64 = 0
    }

    private let state = Mutex(State())

    func makeNumber() -> UInt64 {
        state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
    }

    func add(_ channel: any Channel) {
        let id = ObjectIdentifier(channel)
        let isOver = state.withLock { state in
            if !state.isOver { state.open[id] = channel }
            return state.isOver
        }
        if isOver { return channel.close(promise: nil) }
        channel.closeFuture.whenComplete { [self] _ in _ = state.withLock { $0.open.removeValue(forKey: id) } }
    }

    func closeAll() {
        let open = state.withLock { state in
            state.isOver = true
            return Array(state.open.values)
        }
        for channel in open { channel.close(promise: nil) }
    }
}

/// Counts concurrent users.
private final class Counter: Sendable {
    private let count = Mutex(0)

    func enter(limit: Int) -> Bool {
        count.withLock { count in
            guard count < limit else { return false }
            count += 1
            return true
        }
    }

    func leave() { count.withLock { $0 -= 1 } }
}
