import CloudModel
import CloudProtocol
import Hummingbird
import HummingbirdCore
import HummingbirdTLS
package import Logging
import NIOCore
package import ServerStorage
import ServiceLifecycle
import UnixSignals

/// The configuration of a server: how it listens, its limits and its time-outs.
package struct CloudServerConfiguration: Sendable {
    package var host = "127.0.0.1"
    /// The TCP port; 0 picks any free one.
    package var port = 8_080
    /// Paths of PEM files. Without them the server speaks plain HTTP, for a proxy in front of it.
    package var certificate: (chain: String, key: String)?
    /// Whether browsers reach the server by https although it speaks http itself, because a proxy in front of it has the certificate.
    package var isEncryptedByProxy = false
    /// The address at which browsers reach the server: passkeys belong to its domain.
    package var publicURL: String?
    /// The most connections at once; more wait in the kernel's queue.
    package var maximumConnections = 4_096
    /// The most connections of one address, or of one /64 of IPv6. The machine itself and trusted proxies may have more.
    package var connectionsPerAddress = 64
    /// The proxies whose `X-Forwarded-For` and `X-Forwarded-Proto` are trusted.
    package var trustedProxies: [AddressRange] = []
    /// A URI for reporting security problems, published in `/.well-known/security.txt`.
    package var securityContact: String?
    /// How long a connection may be idle, or a request make no progress, before the connection is closed.
    package var idleSeconds: Int64 = 75
    /// How long a client may read nothing of its responses before its connection is closed. `unreadPatience` is the
    /// same for a client still sending a body that no route reads.
    package var readerPatience = Duration.seconds(45)
    package var unreadPatience = Duration.seconds(10)
    /// How long accepted requests may still run after a shutdown begins.
    package var shutdownSeconds: Int64 = 30
    /// How long `/health/ready` reports a shutdown before the server stops accepting connections.
    package var drain = Duration.zero
    /// How often the storage is checked for `/health` and `/health/ready`.
    package var healthInterval = Duration.seconds(5)
    /// The longest time between two lines of a change feed. After it the database is read, with or without a
    /// notification.
    package var feedHeartbeat = Duration.seconds(15)
    /// Whether devices download chunks from the server's bucket themselves.
    package var directDownloads = false
    /// The background collection policy; nil disables collection.
    package var collection: CollectionPolicy? = .standard

    package init() {}
}

/// The HTTP front end of a ``ServerStore``.
package struct CloudServer: Sendable {
    let store: ServerStore
    private let configuration: CloudServerConfiguration
    private let log: Logger
    private let metrics = ServerMetrics()
    private let health: HealthWatch
    private let readiness: Readiness
    private let connections: Connections
    private let proxies: TrustedProxies

    package init(_ store: ServerStore, _ configuration: CloudServerConfiguration, log: Logger) {
        self.store = store
        self.configuration = configuration
        self.log = log
        health = HealthWatch(store, log: log, interval: configuration.healthInterval)
        readiness = Readiness(health, drain: configuration.drain)
        proxies = TrustedProxies(configuration.trustedProxies)
        let limits = ConnectionTable.Limits(
            maximum: configuration.maximumConnections, perAddress: configuration.connectionsPerAddress)
        connections = Connections(limits, proxies)
    }

    /// Serves until SIGTERM or SIGINT (if `handlesSignals`), or until the task is cancelled; accepted requests are finished first.
    /// `onListening` is called with the port.
    package func run(handlesSignals: Bool, onListening: @escaping @Sendable (Int) async -> Void) async throws {
        let application = Application(
            router: router(), server: try builder(),
            configuration: ApplicationConfiguration(
                address: .hostname(configuration.host, port: configuration.port), serverName: "ubiquity-server",
                // New connections replace idle ones, so for a moment there are a few more than the maximum.
                availableConnectionsDelegate: .maximum(configuration.maximumConnections + 64, logger: log)),
            onServerRunning: { channel in await onListening(channel.localAddress?.port ?? 0) }, logger: log)
        await health.look()
        var services: [any Service] = [application, health]
        if let policy = configuration.collection {
            services.append(CollectionService(store: store, policy: policy, metrics: metrics, log: log))
        }
        // Services stop in reverse order, each after its predecessor.
        services.append(readiness)
        var group = ServiceGroupConfiguration(
            services: services, gracefulShutdownSignals: handlesSignals ? [.sigterm, .sigint] : [], logger: log)
        group.maximumGracefulShutdownDuration = .seconds(configuration.shutdownSeconds) + configuration.drain
        try await ServiceGroup(configuration: group).run()
    }

    /// The methods and paths of the server's routes.
    package var routes: [String] { router().routes.map { "\($0.method.rawValue) \($0.path)" } }

    private func builder() throws -> HTTPServerBuilder {
        let limits = ConnectionRules.Limits(
            patience: configuration.readerPatience, unreadPatience: configuration.unreadPatience)
        let channel = HTTP1Channel.Configuration(
            additionalChannelHandlers: [ConnectionGuard(connections, limits)],
            idleTimeout: .seconds(configuration.idleSeconds),
            httpDecoderConfiguration: .init(
                maxHeaderFieldSize: 8 << 10, maxHeaderListSize: 16 << 10, maxHeaderFieldCount: 64))
        guard let certificate = configuration.certificate else { return .http1(configuration: channel) }
        let tls = try TLSFiles(chain: certificate.chain, key: certificate.key).configuration(log)
        return try .tls(.http1(configuration: channel), tlsConfiguration: tls)
    }

    private func router() -> Router<ServerContext> {
        let router = Router(context: ServerContext.self)
        let isEncrypted = configuration.certificate != nil || configuration.isEncryptedByProxy
        router.add(middleware: ResponseMiddleware(metrics: metrics, proxies: proxies, isEncrypted: isEncrypted))
        let budget = MemoryBudget()
        let operations = OperationRoutes(
            store: store, metrics: metrics, health: health, readiness: readiness, budget: budget)
        router.get("health", use: operations.health)
        router.get("health/live", use: operations.live)
        router.get("health/ready", use: operations.ready)
        router.get("metrics", use: operations.metrics)
        router.get(".well-known/security.txt", use: SecurityText(contact: configuration.securityContact).show)
        let reader = BodyReader(budget: budget)
        let audit = Audit(store)
        let accounts = AccountRoutes(store, reader, audit)
        let open = router.group("v1").add(middleware: VersionMiddleware())
        open.post("sign-in", use: accounts.signIn)
        let closed = open.add(middleware: TokenMiddleware(store: store, connections: connections, audit: audit))
        closed.post("sign-out", use: accounts.signOut)
        closed.post("reset", use: accounts.confirmReset)
        let feed = ChangeFeedRoutes(store: store, metrics: metrics, heartbeat: configuration.feedHeartbeat)
        closed.get("news", use: feed.changes)
        addContainers(to: closed, reader)
        addLogs(to: closed, reader)
        let board = TransferBoard()
        addChunks(to: closed, reader, board)
        addPeople(
            to: router, devices: closed, reader, board, audit, isEncrypted: isEncrypted,
            publicURL: configuration.publicURL,
            retention: configuration.collection?.retention ?? .standard)
        return router
    }

    private func addContainers(to router: RouterGroup<ServerContext>, _ reader: BodyReader) {
        let routes = ContainerRoutes(store: store, reader: reader)
        router.get("cloud", use: routes.cloud)
        router.put("cloud", use: routes.makeCloud)
        router.get("space", use: routes.space)
        router.get("storage", use: routes.storage)
        router.get("containers", use: routes.list)
        router.put("containers/:container", use: routes.create)
    }

    private func addLogs(to router: RouterGroup<ServerContext>, _ reader: BodyReader) {
        let routes = LogRoutes(store: store, reader: reader)
        router.post("containers/:container/log", use: routes.append)
        router.get("containers/:container/log", use: routes.read)
    }

    private func addChunks(to router: RouterGroup<ServerContext>, _ reader: BodyReader, _ board: TransferBoard) {
        let routes = ChunkRoutes(
            store: store, reader: reader, board: board, isDirect: configuration.directDownloads)
        router.post("containers/:container/missing", use: routes.missing)
        router.post("containers/:container/distrust", use: routes.distrust)
        router.post("containers/:container/chunks", use: routes.putMany)
        router.put("containers/:container/chunks/:chunk", use: routes.put)
        router.get("containers/:container/chunks/:chunk", use: routes.get)
    }
}
