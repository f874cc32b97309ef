import AsyncHTTPClient
import Basics
import CloudModel
import CloudProtocol
import CloudServer
import Foundation
import HTTPCloud
import Logging
import NIOCore
import NIOHTTP1
import ServerStorage
import Synchronization

let quiet = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

/// A clock that tests move.
final class SettableTime: TimeSource {
    private let ahead = Mutex(Duration.zero)
    func now() -> Timestamp { SystemTime().now().adding(ahead.withLock { $0 }) }
    func advance(by duration: Duration) { ahead.withLock { $0 += duration } }
}

/// A real server in this process, on a port of its own and a directory that goes with it.
struct TestServer: Sendable {
    let store: ServerStore
    let url: String
    let time: SettableTime
    /// Its data directory.
    let folder: String

    /// The same server by a name, which browsers offer passkeys for.
    var onLocalhost: TestServer {
        TestServer(store: store, url: url.replacing("127.0.0.1", with: "localhost"), time: time, folder: folder)
    }

    func code(of account: String = "anna") async throws -> SignInCode {
        if try await !store.accounts().contains(where: { $0.name == account }) { try await store.addAccount(account) }
        return try await store.addCode(for: account)
    }

    /// One more device of the account, signed in and connected.
    func device(_ name: String = "laptop", of account: String = "anna") async throws -> TestDevice {
        let answer = try await store.signIn(code: code(of: account), device: name)
        let backend = HTTPBackend(address: try ServerAddress(url), logger: quiet) { answer.token }
        _ = try await backend.connect(create: true)
        try await backend.createContainer(.cloudDocs)
        return TestDevice(name: name, token: answer.token, number: answer.device, backend: backend)
    }

    /// A browser's session, without a browser: its cookie.
    func session(of account: String = "anna") async throws -> String {
        let secret = (0..<32).map { _ in UInt8.random(in: 0...255) }
        try await store.openSession(code: code(of: account), browser: "a test", secret: secret)
        return "ubiquity-console=\(Hex.encode(secret))"
    }

    struct Answer: Sendable {
        let status: UInt
        let headers: HTTPHeaders
        let body: [UInt8]
        var text: String { String(decoding: body, as: UTF8.self) }
        subscript(_ name: String) -> String? { headers.first(name: name) }
    }

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
        let answer = try await client.execute(request, timeout: .seconds(60))
        let bytes = try await answer.body.collect(upTo: 64 << 20)
        return Answer(status: answer.status.code, headers: answer.headers, body: Array(buffer: bytes))
    }

    /// A page of the console.
    func page(_ path: String, _ session: String) async throws -> Answer {
        try await request(.GET, "/console/\(path)", headers: [("Cookie", session)])
    }

    /// Posts a form with the token that the page of `from` has.
    func post(_ path: String, _ fields: String = "", from page: String, _ session: String) async throws -> Answer {
        let shown = try await self.page(page, session).text
        guard let token = shown.firstMatch(of: /name="token" value="(\w+)"/)?.1 else { throw NoToken() }
        return try await request(
            .POST, "/console/\(path)", headers: [("Cookie", session)], body: "token=\(token)&\(fields)")
    }

    struct NoToken: Error {}
}

/// Follows no redirects: where they lead is a part of the answer.
private let client: HTTPClient = {
    var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
    configuration.httpVersion = .http1Only
    return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
}()

func withServer<T: Sendable>(_ body: @escaping @Sendable (TestServer) async throws -> T) async throws -> T {
    let path = "\(NSTemporaryDirectory())/ubiquity-console-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: path) }
    let time = SettableTime()
    let store = try ServerStore(path: path, serving: true, log: quiet, time: time, passwordCost: .light)
    var configuration = CloudServerConfiguration()
    configuration.port = 0
    let server = CloudServer(store, configuration, log: quiet)
    let (ports, source) = AsyncStream<Int>.makeStream()
    let running = Task {
        defer { source.finish() }
        try await server.run(handlesSignals: false) { port in source.yield(port) }
    }
    let outcome: Result<T, any Error>
    do {
        guard let port = await ports.first(where: { _ in true }) else { throw NoServer() }
        outcome = .success(
            try await body(TestServer(store: store, url: "http://127.0.0.1:\(port)", time: time, folder: path)))
    } catch { outcome = .failure(error) }
    running.cancel()
    // Its end is a cancellation; what matters is what the body found.
    _ = await running.result
    try await store.close()
    return try outcome.get()
}

struct NoServer: Error {}
