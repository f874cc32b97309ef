import Basics

/// A pool of HTTP/1.1 connections to servers. It wraps libcurl: clouds only see requests and responses.
package final class HTTPConnections: Sendable {
    private let loop = TransferLoop()
    private let trust: ServerTrust

    /// - Parameter trust: The certificates accepted for an encrypted connection.
    package init(trust: ServerTrust = .system) { self.trust = trust }

    /// Sends a request, and returns once the head of the response has arrived. Redirects are returned, not followed.
    ///
    /// - Throws: An error described by ``ConnectionProblem``, also after `limit` has passed; `CancellationError` if the
    ///   task was cancelled.
    package func send(_ request: HTTPRequest, within limit: Duration) async throws -> HTTPResponse {
        try request.check()
        let transfer = Transfer(request, trust, within: limit, on: loop)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { transfer.begin($0) }
        } onCancel: {
            transfer.cancel()
        }
    }
}

extension HTTPRequest {
    /// Throws if a part of the request would end its line: libcurl sends headers unescaped.
    fileprivate func check() throws {
        let isToken = { (byte: UInt8) in byte > 0x20 && byte < 0x7f && byte != UInt8(ascii: ":") }
        guard !method.isEmpty, method.utf8.allSatisfy(isToken), url.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7f }),
            headers.allSatisfy({ !$0.name.isEmpty && $0.name.utf8.allSatisfy(isToken) }),
            headers.allSatisfy({ $0.value.utf8.allSatisfy { ($0 >= 0x20 && $0 != 0x7f) || $0 == 0x09 } })
        else { throw HTTPFailure(reason: .invalid, text: "the request has a character that cannot be sent") }
    }
}
