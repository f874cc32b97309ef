import AsyncHTTPClient
import NIOCore
import NIOHTTP1

/// HTTP/1.1 connections to servers, kept and used again. Owns the HTTP library: clouds see requests and responses only.
package final class HTTPConnections: Sendable {
    private let client: HTTPClient

    /// - Parameter trust: whose certificates an encrypted connection accepts.
    package init(trust: ServerTrust = .system) {
        var configuration = HTTPClient.Configuration(
            redirectConfiguration: .disallow, timeout: .init(connect: .seconds(10), read: .seconds(60)))
        configuration.tlsConfiguration = trust.configuration
        configuration.httpVersion = .http1Only
        // Sixteen: the transfers under way (TransferSlots), the log, and what notifies of changes.
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 16
        // An unreachable server is reported at once; the caller decides how often to retry.
        configuration.connectionPool.retryConnectionEstablishment = false
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    deinit { client.shutdown { _ in } }

    /// Sends a request, and returns once the head of the response is there. Redirects are returned, not followed.
    ///
    /// - Throws: What ``ConnectionProblem`` describes, also when `limit` has passed; `CancellationError` or an error of the library
    ///   where the task was cancelled.
    package func send(_ request: HTTPRequest, within limit: Duration) async throws -> HTTPResponse {
        var message = HTTPClientRequest(url: request.url)
        message.method = HTTPMethod(rawValue: request.method)
        for (name, value) in request.headers { message.headers.add(name: name, value: value) }
        if let body = request.body { message.body = .bytes(ByteBuffer(bytes: body)) }
        return HTTPResponse(try await client.execute(message, timeout: TimeAmount(limit)))
    }
}
