import CloudModel
import CloudProtocol
import CloudServer
import Foundation
import HTTPCloud
import Logging
import ServerStorage
import Testing

let quiet = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

/// A real server in this process, on a port of its own and a directory that goes with it.
struct TestServer: Sendable {
    let store: ServerStore
    let address: ServerAddress

    var port: Int {
        get throws { try #require(address.description.split(separator: ":").last.flatMap { Int($0) }) }
    }

    /// Lets one more device of the account in.
    func token(of account: String = "anna") async throws -> String {
        if try await !store.accounts().contains(where: { $0.name == account }) { try await store.addAccount(account) }
        return try await store.signIn(code: store.addCode(for: account), device: "test").token
    }

    func backend(_ token: String) -> HTTPBackend { HTTPBackend(address: address, logger: quiet) { token } }

    /// A device's backend with one container, connected.
    func device(of account: String = "anna") async throws -> HTTPBackend {
        let backend = backend(try await token(of: account))
        _ = try await backend.connect(create: true)
        try await backend.createContainer(.cloudDocs)
        return backend
    }
}

func withServer<T: Sendable>(
    port: Int = 0, folder: String? = nil, configure: (inout CloudServerConfiguration) -> Void = { _ in },
    _ body: @escaping @Sendable (TestServer) async throws -> T
) async throws -> T {
    let path = folder ?? "\(NSTemporaryDirectory())/ubiquity-server-\(UUID().uuidString)"
    defer { if folder == nil { try? FileManager.default.removeItem(atPath: path) } }
    let store = try ServerStore(path: path, serving: true, log: quiet)
    var configuration = CloudServerConfiguration()
    configuration.port = port
    configure(&configuration)
    let server = CloudServer(store, configuration, log: quiet)
    let (ports, source) = AsyncStream<Int>.makeStream()
    let running = Task {
        defer { source.finish() }
        try await server.run(handlesSignals: false) { port in source.yield(port) }
    }
    let outcome: Result<T, any Error>
    do {
        guard let port = await ports.first(where: { _ in true }) else { throw NoServer() }
        let test = TestServer(store: store, address: try ServerAddress("http://127.0.0.1:\(port)"))
        outcome = .success(try await body(test))
    } catch { outcome = .failure(error) }
    running.cancel()
    // Its end is a cancellation; what matters is what the body found.
    _ = await running.result
    try await store.close()
    return try outcome.get()
}

struct NoServer: Error {}
