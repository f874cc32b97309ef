import AsyncHTTPClient
import NIOCore
import NIOHTTP1

/// A pool of HTTP/1.1 connections to servers. It wraps the HTTP library: clouds see requests and responses only.
package final class HTTPConnections: Sendable {
    private let client: HTTPClient

    /// - Parameter trust: The certificates that an encrypted connection accepts.
    package init(trust: ServerTrust = .system) {
        var configuration = HTTPClient.Configuration(
            redirectConfiguration: .disallow, timeout: .init(connect: .seconds(10), read: .seconds(60)))
        configuration.tlsConfiguration = trust.configuration
        configuration.httpVersion = .http1Only
        // Sixteen: for the transfers under way (TransferSlots), the log, and the change feed.
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 16
        // An unreachable server is reported at once; the caller decides how often to retry.
        configuration.connectionPool.retryConnectionEstablishment = false
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    deinit { client.shutdown { _ in } }

    /// Sends a request, and returns once the head of the response has arrived. Redirects are returned, not followed.
    ///
    /// - Throws: An error that ``ConnectionProblem`` describes, also after `limit` has passed; `CancellationError` or an error of the
    ///   library if the task was cancelled.
    package func send(_ request: HTTPRequest, within limit: Duration) async throws -> HTTPResponse {
        var message = HTTPClientRequest(url: request.url)
        message.method = HTTPMethod(rawValue: request.method)
        for (name, value) in request.headers { message.headers.add(name: name, value: value) }
        if let body = request.body { message.body = .bytes(ByteBuffer(bytes: body)) }
        return HTTPResponse(try await client.execute(message, timeout: TimeAmount(limit)))
    }
}
