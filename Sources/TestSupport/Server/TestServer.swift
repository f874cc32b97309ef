import CloudModel
package import CloudProtocol
package import CloudServer
import Foundation
package import HTTPCloud
package import Logging
package import S3Client
package import ServerStorage

package let quiet = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

/// A real server in this process, with a separate port and with a directory removed together with it.
package struct TestServer: Sendable {
    package let store: ServerStore
    package let address: ServerAddress
    /// The address as browsers write it, without a path.
    package let url: String
    package let time: ShiftedTime
    /// The server's data directory.
    package let folder: String

    /// The same server under a name, because browsers offer passkeys only for names.
    package var onLocalhost: TestServer {
        TestServer(
            store: store, address: address, url: url.replacing("127.0.0.1", with: "localhost"), time: time,
            folder: folder)
    }

    /// Returns a sign-in code for an account, adding a missing account.
    package func code(of account: String = "anna") async throws -> SignInCode {
        let isKnown = try await store.accounts.list().contains { $0.name == account }
        if !isKnown { try await store.accounts.add(account) }
        return try await store.accounts.addCode(for: account)
    }

    /// Signs an additional device of an account in.
    package func signIn(_ device: String = "test", of account: String = "anna") async throws -> SignInResponse {
        try await store.devices.signIn(code: code(of: account), device: device)
    }

    package func backend(_ token: String) -> HTTPBackend { HTTPBackend(address: address, logger: quiet) { token } }

    /// Returns a device's connected backend with one container.
    package func connect(_ token: String) async throws -> HTTPBackend {
        let backend = backend(token)
        _ = try await backend.connect(create: true)
        try await backend.createContainer(.cloudDocs)
        return backend
    }
}

/// Runs `body` with a server on the loopback interface, and stops the server afterwards. No time passes for its attempt
/// limits, since a slow machine would affect them.
///
/// - Parameters:
///   - port: 0 for any free port.
///   - folder: The data directory, which is kept; nil for a temporary directory.
///   - database: A PostgreSQL database, possibly shared by several servers; nil for a database in the directory.
///   - bucket: The bucket for chunks; nil for files in the directory.
///   - passwordCost: The cost of an attempt at a link's password.
/// - Throws: The errors of `body`, and ``ServerNotStarted``.
package func withServer<T: Sendable>(
    port: Int = 0, folder: String? = nil, database: PostgresAddress? = nil, bucket: S3Client? = nil,
    passwordCost: PasswordCost = .light,
    configure: (inout CloudServerConfiguration) -> Void = { _ in },
    _ body: @escaping @Sendable (TestServer) async throws -> T
) async throws -> T {
    let path = folder ?? "\(NSTemporaryDirectory())/ubiquity-server-\(UUID().uuidString)"
    defer { if folder == nil { try? FileManager.default.removeItem(atPath: path) } }
    let time = ShiftedTime()
    let store = try ServerStore(
        ServerPlace(directory: path, database: database, chunks: bucket?.location), serving: true, log: quiet,
        time: time, uptime: { .zero }, passwordCost: passwordCost, bucket: bucket)
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
        guard let port = await ports.first(where: { _ in true }) else { throw ServerNotStarted() }
        let url = "http://127.0.0.1:\(port)"
        let test = TestServer(store: store, address: try ServerAddress(url), url: url, time: time, folder: path)
        outcome = .success(try await body(test))
    } catch { outcome = .failure(error) }
    running.cancel()
    // The server ends by cancellation; only the result of `body` matters.
    _ = await running.result
    try await store.close()
    return try outcome.get()
}

package struct ServerNotStarted: Error {}
