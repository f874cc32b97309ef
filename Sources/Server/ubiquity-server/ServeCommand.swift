import ArgumentParser
import Basics
import CloudServer
import Glibc
import Logging
import ServerStorage

struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Serve devices (the default without a subcommand).")

    @OptionGroup var place: PlaceOption
    @OptionGroup var keep: KeepOption

    @Option(
        help: ArgumentHelp("The address to listen on; port 0 means any free port.", valueName: "host:port"),
        transform: ListenAddress.init)
    var listen = ListenAddress(host: "127.0.0.1", port: 8080)

    @Option(help: ArgumentHelp("A PEM file with the certificate and its chain.", valueName: "file"))
    var tlsCertificate: String?

    @Option(help: ArgumentHelp("A PEM file with the certificate's key.", valueName: "file"))
    var tlsKey: String?

    @Option(
        help: ArgumentHelp(
            "The public address of the server; with https://, cookies are sent over encrypted connections only, and passkeys belong to its host name.",
            valueName: "url"))
    var publicUrl: String?

    @Option(
        help: ArgumentHelp(
            "A proxy whose X-Forwarded-For and X-Forwarded-Proto are trusted; may be repeated.",
            valueName: "address/bits"),
        transform: addressRange)
    var trustedProxy: [AddressRange] = []

    @Option(
        help: ArgumentHelp(
            "The maximum number of connections of one address, or of one IPv6 /64; loopback and trusted proxies have no limit.",
            valueName: "number"))
    var connectionsPerAddress = 64

    @Option(
        help: ArgumentHelp(
            "How long /health/ready reports a shutdown before the server stops to accept connections (default: 5 for a cluster, otherwise 0).",
            valueName: "seconds"))
    var drainSeconds: Int?

    @Flag(
        help: ArgumentHelp(
            "Let devices download chunks from the bucket themselves, with links that are valid for five minutes. They need to reach the endpoint in --chunks."
        ))
    var directDownloads = false

    @Option(
        help: ArgumentHelp(
            "Where to report a vulnerability, for /.well-known/security.txt.", valueName: "uri"))
    var securityContact: String?

    @Option(
        help: ArgumentHelp("What to log: trace, debug, info, notice, warning or error.", valueName: "level"),
        transform: level)
    var logLevel: Logger.Level = .info

    func validate() throws {
        if (tlsCertificate == nil) != (tlsKey == nil) {
            throw ValidationError("--tls-certificate and --tls-key belong together")
        }
        if let publicUrl, !publicUrl.hasPrefix("https://"), !publicUrl.hasPrefix("http://") {
            throw ValidationError("'\(publicUrl)' is not an address such as https://cloud.example.com")
        }
        guard connectionsPerAddress > 0 else {
            throw ValidationError("--connections-per-address is at least 1")
        }
        guard (0...300).contains(drainSeconds ?? 0) else { throw ValidationError("--drain-seconds is 0 to 300") }
        guard securityContact?.unicodeScalars.allSatisfy({ $0.value > 0x20 && $0.value < 0x7F }) ?? true else {
            throw ValidationError("--security-contact is a URI such as mailto:security@example.org")
        }
    }

    func run() async throws {
        ProcessLimits.raise()
        let settings = try place.resolved()
        guard settings.isCluster || !directDownloads else {
            throw ValidationError("--direct-downloads needs --chunks: the chunks of --data are files of the server")
        }
        var configuration = CloudServerConfiguration()
        configuration.host = listen.host
        configuration.port = listen.port
        configuration.collection = keep.policy
        configuration.trustedProxies = trustedProxy
        configuration.connectionsPerAddress = connectionsPerAddress
        configuration.securityContact = securityContact
        configuration.directDownloads = directDownloads
        configuration.drain = .seconds(drainSeconds ?? (settings.isCluster ? 5 : 0))
        if let tlsCertificate, let tlsKey { configuration.certificate = (tlsCertificate, tlsKey) }
        configuration.publicURL = publicUrl
        configuration.isEncryptedByProxy = publicUrl?.hasPrefix("https://") ?? false
        FreedMemory.goesBack()
        configuration.maximumConnections = raiseDescriptorLimit(for: configuration.maximumConnections)
        let log = serverLogger(logLevel)
        let scheme = configuration.certificate == nil ? "http" : "https"
        if configuration.certificate == nil, !listen.isLoopback {
            log.warning(
                "tokens cross the network unencrypted: give a certificate, or listen on 127.0.0.1 behind a proxy with TLS"
            )
        }
        settings.warn(log)
        do {
            let store = try ServerStore(try ServerPlace(settings.place), serving: true, log: log)
            let host = listen.host
            try await CloudServer(store, configuration, log: log).run(handlesSignals: true) { port in
                print("ubiquity-server listens on \(scheme)://\(host):\(port)")
                fflush(nil)
            }
            try await store.close()
            log.notice("stopped in order")
        } catch let error as StorageError {
            throw Failure(error.message)
        } catch let error as TLSProblem {
            throw Failure(error.description)
        } catch {
            throw Failure("The server cannot run on \(listen): \(error)")
        }
    }
}

/// An address to listen on: `HOST:PORT`, with an IPv6 address in brackets.
struct ListenAddress: CustomStringConvertible {
    let host: String
    let port: Int

    init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    init(_ text: String) throws {
        guard let colon = text.lastIndex(of: ":"), let port = Int(text[text.index(after: colon)...]),
            (0...65_535).contains(port), colon != text.startIndex
        else { throw ValidationError("'\(text)' is not HOST:PORT, such as 127.0.0.1:8080 or [::]:443") }
        let host = text[..<colon]
        let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
        self.init(host: String(isBracketed ? host.dropFirst().dropLast() : host), port: port)
    }

    var isLoopback: Bool { host == "localhost" || host == "::1" || host.hasPrefix("127.") }
    var description: String { "\(host):\(port)" }
}

private func addressRange(_ text: String) throws -> AddressRange {
    guard let range = AddressRange(text) else {
        throw ValidationError("'\(text)' is not an address or range such as 127.0.0.1, 10.0.0.0/8 or fd00::/8")
    }
    return range
}

private func level(_ text: String) throws -> Logger.Level {
    guard let level = Logger.Level(rawValue: text) else { throw ValidationError("'\(text)' is not a log level") }
    return level
}

/// Returns a logger to standard error, with a line for each event and its facts as `key=value`.
func serverLogger(_ level: Logger.Level) -> Logger {
    var logger = Logger(label: "ubiquity-server") { StreamLogHandler.standardError(label: $0) }
    logger.logLevel = level
    return logger
}

/// Raises the limit of open descriptors: each connection needs one, and most systems allow 1,024 until a process
/// requests more.
///
/// - Returns: The number of connections within the limit.
private func raiseDescriptorLimit(for connections: Int) -> Int {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return min(connections, 512) }
    limit.rlim_cur = min(limit.rlim_max, rlim_t(connections + 256))
    guard setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return min(connections, 512) }
    return min(connections, max(64, Int(clamping: limit.rlim_cur) - 256))
}
