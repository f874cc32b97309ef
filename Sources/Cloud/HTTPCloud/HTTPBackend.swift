import Basics
import Chunking
package import CloudModel
package import CloudProtocol
package import CloudStorage
import Cryptography
package import HTTPTransport
package import Logging
import Synchronization

/// The cloud on a ubiquity-server, over HTTP.
///
/// - Every request may be repeated: the server recognises a repeated append by its key.
/// - A request that fails in transit is retried a few times immediately, with jittered pauses; the engine's own
///   back-off follows after that.
/// - Once connected, every request names its cloud, so that a token of a wrong account changes nothing there.
package final class HTTPBackend: ChangeNotifying, ChunkBatching, UseReporting {
    let connection: ServerConnection
    private let identity = Mutex<CloudIdentity?>(nil)

    /// Creates a backend. `token` is called before each request, so that signing in again needs no restart. Nothing is
    /// sent before ``connect(create:)``.
    ///
    /// - Parameters:
    ///   - trust: The certificates accepted for an encrypted connection.
    ///   - sender: The device's own identification in each request; nil for a program that is not a device.
    package init(
        address: ServerAddress, trust: ServerTrust = .system, logger: Logger,
        sender: @escaping @Sendable () -> RequestSender? = { nil }, token: @escaping @Sendable () -> String?
    ) {
        connection = ServerConnection(address: address, trust: trust, logger: logger, sender: sender, token: token)
    }

    package func connect(create: Bool) async throws -> CloudIdentity {
        var exchange = Exchange(create ? .put : .get, CloudRoutes.cloud)
        exchange.isForAnyCloud = true
        let found = CloudIdentity(try await connection.json(CloudDescription.self, exchange).identity)
        let isExpected = identity.withLock { identity in
            guard identity == nil || identity == found else { return false }
            identity = found
            return true
        }
        guard isExpected else {
            throw CloudError(
                .foreign,
                "\(connection.address) now has another cloud than this device has synced with. Put the right one back, or use another --state."
            )
        }
        connection.nameCloud(found.text)
        return found
    }

    package func containers() async throws -> [ContainerName] {
        let list = try await connection.json(ContainerList.self, Exchange(.get, CloudRoutes.containers))
        return list.containers.compactMap { ContainerName($0) }
    }

    package func createContainer(_ name: ContainerName) async throws {
        try await connection.send(Exchange(.put, CloudRoutes.container(name)))
    }

    package func append(
        _ payload: [UInt8], to container: ContainerName, after position: LogPosition
    ) async throws -> LogSequence {
        var random = SystemRandomNumberGenerator()
        let path = "\(CloudRoutes.log(container))?after=\(position.wireText)"
        var exchange = Exchange(.post, path, body: payload)
        exchange.headers = [(AppendKey.header, AppendKey.random(using: &random).description)]
        return LogSequence(try await connection.json(AppendResponse.self, exchange).sequence)
    }

    package func entries(
        in container: ContainerName, after position: LogPosition, limit: Int
    ) async throws -> [LogRecord] {
        let most = min(max(0, limit), CloudLimits.pageEntries)
        let path = "\(CloudRoutes.log(container))?after=\(position.wireText)&limit=\(most)"
        var exchange = Exchange(.get, path)
        exchange.answerLimit = CloudLimits.pageBytes + CloudLimits.entry
        let bytes = try await connection.send(exchange)
        let page = try decoding { () throws(ByteCodingError) in try LogPage(decoding: bytes) }
        guard page.payloads.isEmpty || page.first == position.sequence.next, page.payloads.count <= max(1, most) else {
            throw CloudError(
                .damaged, "The server returned another part of the log of \(container) than requested.")
        }
        var last = position
        return page.payloads.prefix(most).map { payload in
            last = last.following(payload)
            return LogRecord(last, payload)
        }
    }

    package func use() async throws -> CloudUseReport {
        try await connection.json(CloudUseReport.self, Exchange(.get, CloudRoutes.storage))
    }

    package func missing(_ chunks: [ChunkID], in container: ContainerName) async throws -> Set<ChunkID> {
        var missing: Set<ChunkID> = []
        var rest = chunks[...]
        while !rest.isEmpty {
            let part = Array(rest.prefix(CloudLimits.names))
            rest = rest.dropFirst(part.count)
            let body = ChunkNames(part).encoded()
            var exchange = Exchange(.post, CloudRoutes.missing(container), body: body)
            exchange.answerLimit = body.count + 16
            let bytes = try await connection.send(exchange)
            missing.formUnion(try decoding { () throws(ByteCodingError) in try ChunkNames(decoding: bytes).ids })
        }
        return missing
    }

    package func putChunk(_ chunk: OutgoingChunk, in container: ContainerName) async throws {
        try await connection.send(Exchange(.put, CloudRoutes.chunk(chunk.id, in: container), body: chunk.frame))
    }

    package func putChunks(_ chunks: [OutgoingChunk], in container: ContainerName) async throws {
        var rest = chunks[...]
        while !rest.isEmpty {
            let part = rest.prefix(Self.fitting(rest))
            rest = rest.dropFirst(part.count)
            do { try await putTogether(part, in: container) } catch let error as CloudError {
                // The server accepts all chunks or none; some of them may still fit.
                guard error.code == .quota, part.count > 1 else { throw error }
                for chunk in part { try await putChunk(chunk, in: container) }
            }
        }
    }

    private func putTogether(_ chunks: ArraySlice<OutgoingChunk>, in container: ContainerName) async throws {
        let body = ChunkBatch(chunks.map { ChunkBatch.Part(id: $0.id, frame: $0.frame) }).encoded()
        try await connection.send(Exchange(.post, CloudRoutes.chunks(container), body: body))
    }

    /// Returns how many of the first chunks fit into one request, at least one.
    private static func fitting(_ chunks: ArraySlice<OutgoingChunk>) -> Int {
        // Each chunk takes an id and a length of at most five bytes; a version and a count precede them.
        var (bytes, plain) = (16, 0)
        let count = chunks.prefix(CloudLimits.batchChunks).prefix { chunk in
            bytes += 37 + chunk.frame.count
            // The server does not decompress a frame with an unreadable length.
            plain += (try? ChunkFrame.plainLength(of: chunk.frame)) ?? 0
            return bytes <= CloudLimits.batchBody && plain <= CloudLimits.batchPlain
        }.count
        return max(1, count)
    }

    package func distrust(_ chunks: Set<ChunkID>, in container: ContainerName) async throws {
        var rest = Array(chunks)[...]
        while !rest.isEmpty {
            let part = Array(rest.prefix(CloudLimits.distrusted))
            rest = rest.dropFirst(part.count)
            let body = ChunkNames(part).encoded()
            try await connection.send(Exchange(.post, CloudRoutes.distrust(container), body: body))
        }
    }

    package func getChunk(_ id: ChunkID, in container: ContainerName) async throws -> [UInt8] {
        var exchange = Exchange(.get, CloudRoutes.chunk(id, in: container))
        exchange.answerLimit = CloudLimits.frame
        exchange.isResumable = true
        exchange.isDirect = true
        // A proxy's page, for example. Readers check whether compressed bytes match the chunk.
        exchange.accepts = { bytes in
            guard (try? ChunkFrame.plainLength(of: bytes)) != nil else { return false }
            return !ChunkFrame.isWrong(bytes, for: id)
        }
        return try await connection.send(exchange)
    }

    package func events() -> AsyncStream<CloudEvent> {
        let subscription = ChangeFeedSubscription(connection)
        return AsyncStream {
            await subscription.mailbox.next()
        } onCancel: {
            subscription.end()
        }
    }

    package func space() async throws -> CloudSpace? {
        let space = try await connection.json(SpaceResponse.self, Exchange(.get, CloudRoutes.space))
        return CloudSpace(total: space.total, free: min(space.free, space.total))
    }
}
