import AsyncHTTPClient
import Basics
import CloudProtocol
import NIOCore
import NIOHTTP1
import ServerStorage
import ServerSupport

/// Requests of browsers and devices to a server.
extension TestServer {
    /// Signs in another device of the account and returns it connected.
    func device(_ name: String = "laptop", of account: String = "anna") async throws -> TestDevice {
        let answer = try await signIn(name, of: account)
        return TestDevice(
            name: name, token: answer.token, number: answer.device, backend: try await connect(answer.token))
    }

    /// Opens a browser session without a browser and returns its cookie.
    func session(of account: String = "anna") async throws -> String {
        let secret = (0..<32).map { _ in UInt8.random(in: 0...255) }
        try await store.sessions.openSession(code: code(of: account), browser: "a test", secret: secret)
        return "ubiquity-console=\(Hex.encode(secret))"
    }

    struct Answer: Sendable {
        let status: UInt
        let headers: HTTPHeaders
        let body: [UInt8]
        var text: String { String(decoding: body, as: UTF8.self) }
        subscript(_ name: String) -> String? { headers.first(name: name) }
    }

    /// Pages are generated with low priority, so beside other tests an answer may take long. `make worst-client` and
    /// `make server-load` measure the server's speed.
    private static let patience = TimeAmount.minutes(10)

    func request(
        _ method: HTTPMethod = .GET, _ path: String, headers: [(String, String)] = [], body: String? = nil
    ) async throws -> Answer {
        var request = HTTPClientRequest(url: url + path)
        request.method = method
        for (name, value) in headers { request.headers.add(name: name, value: value) }
        if let body {
            request.headers.add(name: "Content-Type", value: "application/x-www-form-urlencoded")
            request.body = .bytes(ByteBuffer(string: body))
        }
        let answer = try await client.execute(request, timeout: Self.patience)
        let bytes = try await answer.body.collect(upTo: 64 << 20)
        return Answer(status: answer.status.code, headers: answer.headers, body: Array(buffer: bytes))
    }

    /// Returns a page of the console.
    func page(_ path: String, _ session: String) async throws -> Answer {
        try await request(.GET, "/console/\(path)", headers: [("Cookie", session)])
    }

    /// Posts a form with the token in the page at `from`.
    func post(_ path: String, _ fields: String = "", from page: String, _ session: String) async throws -> Answer {
        let shown = try await self.page(page, session).text
        guard let token = shown.firstMatch(of: /name="token" value="(\w+)"/)?.1 else { throw NoToken() }
        return try await request(
            .POST, "/console/\(path)", headers: [("Cookie", session)], body: "token=\(token)&\(fields)")
    }

    struct NoToken: Error {}
}

/// A client that does not follow redirects, because tests check their targets.
private let client: HTTPClient = {
    var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
    configuration.httpVersion = .http1Only
    return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
}()
