import CloudModel
import CloudProtocol
import CloudServer
import CloudStorage
import Cryptography
import Foundation
import HTTPCloud
import NIOHTTP1
import ServerStorage
import ServerSupport
import TestSupport
import Testing

/// Tests a server's own messages when its database is older than devices' reads, and when copies share a sign-in.
@Suite("A server whose database is old, and copies of devices", .timeLimit(.minutes(5)))
struct SetBackPageTests {
    private func metrics(_ server: TestServer) async throws -> String {
        let token = try await server.store.metricsToken()
        return try await server.request(.GET, "/metrics", headers: [("Authorization", "Bearer \(token)")]).text
    }

    /// Runs a server on a folder, for a moment.
    private func serve<T: Sendable>(
        _ folder: String, _ body: @escaping @Sendable (TestServer) async throws -> T
    ) async throws -> T {
        // The health check runs at the start and when the test calls it.
        try await withServer(folder: folder, configure: { $0.healthInterval = .seconds(3_600) }, body)
    }

    @Test("an old database is in the log, in the health, in the metrics and in the console, until devices are reset")
    func setBack() async throws {
        let folder = "\(NSTemporaryDirectory())/set-back-\(UUID().uuidString)"
        let copy = "\(folder)-copy"
        defer { for path in [folder, copy] { try? FileManager.default.removeItem(atPath: path) } }
        let sign = try await serve(folder) { server in
            let answer = try await server.signIn("laptop")
            _ = try await server.connect(answer.token).append([1], to: .cloudDocs, after: .start)
            #expect(try await server.request(.GET, "/health").text == #"{"status":"ok"}"#)
            return answer
        }
        try FileManager.default.copyItem(atPath: folder, toPath: copy)
        let position = try await serve(folder) { server in
            let backend = try await server.connect(sign.token)
            let one = LogPosition.start.following([1])
            _ = try await backend.append([2], to: .cloudDocs, after: one)
            return one.following([2])
        }
        // The file beside the database stays.
        try FileManager.default.removeItem(atPath: "\(copy)/generation")
        try FileManager.default.copyItem(atPath: "\(folder)/generation", toPath: "\(copy)/generation")
        try FileManager.default.removeItem(atPath: folder)
        try FileManager.default.moveItem(atPath: copy, toPath: folder)
        try await serve(folder) { server in
            // Before any device came.
            #expect(try await server.request(.GET, "/health").text.contains("The database went back"))
            let ready = try await server.request(.GET, "/health/ready")
            #expect(ready.status == 200)
            #expect(try await metrics(server).contains("ubiquity_database_set_back 1\n"))
            #expect(try await metrics(server).contains("ubiquity_logs_set_back 0\n"))
            let backend = try await server.connect(sign.token)
            // A device's question in search of a copy of its cloud is no proof.
            await #expect(throws: CloudError.self) {
                _ = try await backend.entries(in: .cloudDocs, after: position, limit: 0)
            }
            #expect(try await server.store.setBack().logs == 0)
            await #expect(throws: CloudError.self) {
                _ = try await backend.entries(in: .cloudDocs, after: position, limit: 10)
            }
            await #expect(throws: CloudError.self) {
                _ = try await backend.append([3], to: .cloudDocs, after: position)
            }
            #expect(try await metrics(server).contains("ubiquity_logs_set_back 1\n"))
            let session = try await server.session()
            let containers = try await server.page("", session).text
            #expect(containers.contains("went back") && containers.contains("wait"), "\(containers)")
            #expect(try await server.page("devices", session).text.contains("ahead of the server"))
            // The device's reset reads from the beginning.
            _ = try await backend.entries(in: .cloudDocs, after: .start, limit: 10)
            #expect(try await server.store.setBack().logs == 1)
            _ = try await backend.entries(in: .cloudDocs, after: .start.following([1]), limit: 10)
            #expect(try await server.store.setBack().logs == 0)
            try await server.store.markRestored(trustsDevices: true)
            _ = try await server.store.checkHealth()
            #expect(try await metrics(server).contains("ubiquity_database_set_back 0\n"))
        }
    }

    @Test("copies of one device are in the console with their names and addresses")
    func copies() async throws {
        try await withServer { server in
            server.time.stop()
            let token = try await server.signIn("laptop").token
            let copies = [(1, "laptop"), (3, "virtual copy")].map { id, name in
                HTTPBackend(
                    address: server.address, logger: quiet,
                    sender: { RequestSender(id: DeviceID(id), name: name) }, token: { token })
            }
            for _ in 0..<3 {
                for copy in copies { _ = try await copy.connect(create: true) }
                server.time.advance(by: .seconds(61))
            }
            await server.store.senders.settle()
            let page = try await server.page("devices", server.session()).text
            #expect(page.contains("virtual copy") && page.contains("0000000000000003"), "\(page)")
            #expect(page.contains("127.0.0.1") && page.contains("Several states use the sign-in of one device"))
        }
    }
}
