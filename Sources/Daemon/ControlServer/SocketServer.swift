package import DaemonProtocol
import Glibc
package import Logging
import NIOCore
import NIOExtras
import NIOPosix
import Synchronization

/// Serves the control socket: accepts clients of the same user, bounds what each may ask, and hands requests to a handler.
///
/// A client may die at any byte: its connection ends, its tasks are cancelled, no other program notices.
package struct SocketServer: Sendable {
    package struct Limits: Sendable {
        package var maximumClients = 64
        /// Requests under way at a time, per client.
        package var maximumRequests = 16
        /// Claims and requests for some, per client.
        package static let maximumClaims = 256
        /// Queries and other requests that last, per client.
        package static let maximumStreams = 64
        /// How long a client may be connected without saying hello.
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

    /// `socket` already listens: clients may have connected before ``run()``.
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

    /// Serves until the task is cancelled; to be called once. Returns when every client's tasks have ended.
    package func run() async throws {
        // Those that arrived at the end and were never served.
        defer { connections.closeAll() }
        try await accept()
    }

    private func accept() async throws {
        // What a client sends is read once it is served.
        let listener = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .childChannelOption(.autoRead, value: false)
            // What comes in between wakes the loop again: a second look after each message would cost a system call.
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

    /// A client that has connected. Not an `NIOAsyncChannel` yet: one of those must not be dropped, and a client that arrives as the
    /// server ends is.
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

    /// Begins to read what a client sends.
    private func open(_ arrival: Arrival, _ session: ClientSession) async throws -> Client {
        let channel = arrival.channel
        let wrapped = try await channel.eventLoop.submit {
            try channel.pipeline.syncOperations.addHandler(PromptLane(session))
            let wrapped = try ClientSession.Wire(wrappingChannelSynchronously: channel)
            // A channel that has ended by now refuses, and reading from it says so.
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
            logger.debug("A client left before it was served", metadata: ["why": "\(error)"])
        }
    }

    private func serve(_ client: Client, _ session: ClientSession, _ clients: Counter) async {
        guard client.peer.mayControl(daemonOf: geteuid()) else {
            return await turnAway(client, .permissionDenied, "this daemon belongs to another user")
        }
        guard clients.enter(limit: limits.maximumClients) else {
            return await turnAway(client, .busy, "the daemon has \(limits.maximumClients) clients already")
        }
        defer { clients.leave() }
        do {
            try await session.run(client.channel)
        } catch {
            // Clients come and go as they like: not worth more than a trace.
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
            logger.debug("A client left before it was turned away", metadata: ["why": "\(error)"])
        }
    }
}

/// The connections that are open, so that none outlasts the server.
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

/// How many are inside.
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
