package import CloudProtocol
import CloudStorage
package import HTTPTransport
package import Logging
import Synchronization

/// The connection to a server: its pooled HTTP connections, and the headers of every request.
package final class ServerConnection: Sendable {
    package let address: ServerAddress
    let log: Logger
    private let token: @Sendable () -> String?
    private let sender: @Sendable () -> RequestSender?
    private let cloud = Mutex<String?>(nil)
    private let connections: HTTPConnections
    /// Connections to the server's bucket, which has a separate certificate.
    private let bucketConnections = HTTPConnections()
    private let linkPolicy = Mutex(DirectLinkPolicy())
    /// Whether the server's last response requested a reset of this device.
    private let resetAsked = Mutex(false)

    /// - Parameters:
    ///   - trust: The certificates accepted for an encrypted connection.
    ///   - sender: The device's own identification in each request; nil for a program that is not a device.
    package init(
        address: ServerAddress, trust: ServerTrust = .system, logger: Logger,
        sender: @escaping @Sendable () -> RequestSender? = { nil }, token: @escaping @Sendable () -> String?
    ) {
        self.address = address
        self.token = token
        self.sender = sender
        log = logger
        connections = HTTPConnections(trust: trust)
    }

    var isResetAsked: Bool { resetAsked.withLock { $0 } }

    /// Sets the cloud named by requests from now on.
    func nameCloud(_ identity: String) { cloud.withLock { $0 = identity } }

    func json<T: Decodable>(_ type: T.Type, _ exchange: Exchange) async throws -> T {
        let bytes = try await send(exchange)
        do { return try WireJSON.decode(type, from: bytes) } catch {
            throw CloudError(.damaged, "The response of \(address) cannot be parsed.", cause: error)
        }
    }

    /// Sends a request, with retries, and returns the body of the response. Throws only ``CloudError`` and `CancellationError`.
    @discardableResult
    func send(_ exchange: Exchange) async throws -> [UInt8] {
        var exchange = exchange
        var retries = RequestRetries()
        var answer = PartialResponse()
        while true {
            exchange.isDirect = exchange.isDirect && linkPolicy.withLock { $0.isAllowed(at: .now) }
            do { return try await attempt(exchange, &answer) } catch let link as UnusableLink {
                log.info(
                    "chunks are downloaded through the server, because a link to its bucket cannot be used",
                    metadata: ["why": "\(link.reason)"])
                linkPolicy.withLock { $0.noteFailure(at: .now) }
            } catch let failure as AttemptFailure {
                var random = SystemRandomNumberGenerator()
                guard let pause = retries.pause(after: failure.error, wait: failure.wait, using: &random) else {
                    throw failure.error
                }
                log.debug("retrying", metadata: ["why": "\(failure.error)"])
                try await Task.sleep(for: pause)
            }
        }
    }

    private func attempt(_ exchange: Exchange, _ answer: inout PartialResponse) async throws -> [UInt8] {
        let request = try request(exchange, from: answer.bytes.count)
        var response = try await head(of: request)
        try await check(response, isDirect: exchange.isDirect)
        let link = try DirectLink(response, from: address)
        if let link { response = try await follow(link, from: answer.bytes.count) }
        if !answer.accepts(response) { answer = PartialResponse() }
        do {
            for try await part in response.body {
                guard answer.bytes.count + part.count <= exchange.answerLimit else {
                    throw CloudError(.damaged, "The response of \(address) exceeds the size limit.")
                }
                answer.bytes.append(contentsOf: part)
            }
        } catch let error as CloudError where link == nil { throw AttemptFailure(error) } catch {
            if link != nil { throw try unusable(error) }
            // The bytes received so far are kept if the next attempt can continue from there.
            if !exchange.isResumable { answer = PartialResponse() }
            throw try failure(of: error)
        }
        guard link == nil || exchange.accepts(answer.bytes) else {
            answer = PartialResponse()
            throw UnusableLink(reason: "the bucket sent other bytes")
        }
        return answer.bytes
    }

    /// Sends a request, and returns once the head of the response has arrived.
    func head(of request: HTTPRequest, within limit: Duration = .seconds(120)) async throws -> HTTPResponse {
        do { return try await connections.send(request, within: limit) } catch { throw try failure(of: error) }
    }

    /// Requests the bytes behind a link, without the headers reserved for the server.
    private func follow(_ link: DirectLink, from offset: Int) async throws -> HTTPResponse {
        var request = HTTPRequest("GET", link.url)
        if offset > 0 { request.add("Range", "bytes=\(offset)-") }
        let response: HTTPResponse
        do { response = try await bucketConnections.send(request, within: .seconds(60)) } catch {
            throw try unusable(error)
        }
        guard response.status == 200 || response.status == 206 else {
            throw UnusableLink(reason: "the bucket responded with status \(response.status)")
        }
        return response
    }

    /// Converts an error of a link. A cancelled caller receives `CancellationError`.
    private func unusable(_ error: any Error) throws -> UnusableLink {
        if Task.isCancelled || error is CancellationError { throw CancellationError() }
        return UnusableLink(
            reason: (error as? CloudError).map(\.message) ?? ConnectionProblem.description(of: error))
    }

    func request(_ exchange: Exchange, from offset: Int = 0) throws -> HTTPRequest {
        var request = HTTPRequest(exchange.method.rawValue, address.description + exchange.path, body: exchange.body)
        request.mark = CloudProtocolVersion.header
        request.add(CloudProtocolVersion.header, String(CloudProtocolVersion.current))
        if exchange.needsToken {
            guard let token = token() else { throw AttemptFailure(.notSignedIn(address)) }
            request.add("Authorization", "Bearer \(token)")
            if let sender = sender() { request.add(RequestSender.header, sender.text) }
        }
        if !exchange.isForAnyCloud, let cloud = cloud.withLock({ $0 }) {
            request.add(CloudProtocolVersion.cloudHeader, cloud)
        }
        for (name, value) in exchange.headers { request.add(name, value) }
        if exchange.isDirect { request.add(DirectDownload.header, DirectDownload.accepted) }
        if offset > 0 { request.add("Range", "bytes=\(offset)-") }
        return request
    }

    /// Throws the server's refusals, and an error for responses not from a ubiquity-server.
    ///
    /// - Parameter isDirect: Whether a link is accepted.
    func check(_ response: HTTPResponse, isDirect: Bool = false) async throws {
        let relation = CloudProtocolVersion.relation(of: response.header(CloudProtocolVersion.header))
        guard relation != .foreign else {
            throw AttemptFailure(.foreignResponse(address, status: response.status))
        }
        let isResetAsked = response.header(CloudRoutes.resetHeader) != nil
        resetAsked.withLock { $0 = isResetAsked }
        guard !(200..<300).contains(response.status), !(isDirect && response.status == 307) else {
            guard relation == .same else { throw AttemptFailure(.version(relation, address)) }
            return
        }
        let failure: CloudFailure
        do {
            let body = try await response.body.collect(upTo: CloudLimits.json)
            failure = try WireJSON.decode(CloudFailure.self, from: body)
        } catch { throw AttemptFailure(.foreignResponse(address, status: response.status)) }
        let wait = response.header("Retry-After").flatMap { Int($0) }.map { Duration.seconds($0) }
        throw AttemptFailure(CloudError(failure, from: address), wait: wait)
    }

    /// Converts an error. A cancelled caller receives `CancellationError`, regardless of the client's error.
    func failure(of error: any Error) throws -> AttemptFailure {
        if Task.isCancelled || error is CancellationError { throw CancellationError() }
        return error as? AttemptFailure ?? AttemptFailure(.unreachable(address, error))
    }
}

/// Why one attempt failed, and the server's requested wait.
struct AttemptFailure: Error {
    let error: CloudError
    let wait: Duration?

    init(_ error: CloudError, wait: Duration? = nil) {
        self.error = error
        self.wait = wait
    }
}

/// The part of a response received over all attempts so far.
struct PartialResponse {
    var bytes: [UInt8] = []

    /// Whether the response continues after the bytes received so far; otherwise it starts from the beginning.
    func accepts(_ response: HTTPResponse) -> Bool {
        guard !bytes.isEmpty, response.status == 206 else { return bytes.isEmpty }
        let range = response.header("Content-Range")
        return range?.hasPrefix("bytes \(bytes.count)-") ?? false
    }
}
