import CloudModel
import CloudProtocol
import CloudServer
import CloudStorage
import Foundation
import HTTPCloud
import NIOHTTP1
import ServerStorage
import ServerSupport
import TestSupport
import Testing

/// Tests two servers over one PostgreSQL database, like the processes of a cluster.
@Suite("Two servers over one database", .timeLimit(.minutes(10)))
struct ProcessesTests {
    /// Runs `body` with two servers that poll the database only once an hour.
    private func withTwo(
        _ database: PostgresAddress, _ body: @escaping @Sendable (TestServer, TestServer) async throws -> Void
    ) async throws {
        try await withServer(database: database, configure: { $0.feedHeartbeat = .seconds(3_600) }) { one in
            try await withServer(database: database, configure: { $0.feedHeartbeat = .seconds(3_600) }) { other in
                try await body(one, other)
            }
        }
    }

    @Test("a device at one server gets a notification of a change that another server stored")
    func changes() async throws {
        try await withTwo(try TestPostgres.shared().makeDatabase()) { one, other in
            let (here, there) = (try await one.device("a"), try await other.device("b"))
            let account = try await other.store.accounts.account(named: "anna")
            let before = try await other.store.changes.latest(of: account)
            async let waiting: Void = other.store.changes.wait(for: account, after: before.revision)
            _ = try await here.backend.append([1, 2, 3], to: .cloudDocs)
            await waiting
            let entries = try await there.backend.entries(in: .cloudDocs, after: LogSequence(0), limit: 10)
            #expect(entries.count == 1)
        }
    }

    @Test("a client has five attempts to sign in, however many servers it asks")
    func limit() async throws {
        try await withTwo(try TestPostgres.shared().makeDatabase()) { one, other in
            for server in [one, other] { server.time.stop() }
            var statuses: [UInt] = []
            for number in 0..<20 {
                let answer = try await (number % 2 == 0 ? one : other).request(
                    .POST, "/v1/sign-in", headers: [("Ubiquity-Protocol", "1")],
                    body: #"{"code":"AAAA-AAAA-AAAA-AAAA","device":"x"}"#)
                statuses.append(answer.status)
            }
            #expect(statuses.count { $0 == 401 } == 5)
            #expect(statuses.count { $0 == 429 } == 15)
        }
    }

    @Test("a browser that one server signed in is signed in at the other, until either ends the session")
    func session() async throws {
        try await withTwo(try TestPostgres.shared().makeDatabase()) { one, other in
            let session = try await one.session()
            let shown = try await other.page("", session)
            #expect(shown.status == 200)
            let left = try await other.post("sign-out", from: "", session)
            #expect(left.status == 303)
            let after = try await one.page("", session)
            #expect(after.status == 303)
        }
    }

    @Test("a device that was revoked at one server is refused by the other at once")
    func revocation() async throws {
        try await withTwo(try TestPostgres.shared().makeDatabase()) { one, other in
            let device = try await one.signIn()
            let backend = other.backend(device.token)
            _ = try await backend.connect(create: true)
            let isRevoked = try await one.store.devices.revoke(device: device.device)
            #expect(isRevoked)
            await #expect(throws: CloudError.self) { try await backend.containers() }
        }
    }

    @Test("all servers have one token for the metrics")
    func metrics() async throws {
        try await withTwo(try TestPostgres.shared().makeDatabase()) { one, other in
            let token = try await one.store.metricsToken()
            let answer = try await other.request(.GET, "/metrics", headers: [("Authorization", "Bearer \(token)")])
            #expect(answer.status == 200)
        }
    }

    @Test("a server is not ready while its database does not respond, stays alive, and is ready again afterwards")
    func readiness() async throws {
        let postgres = try TestPostgres()
        try await withServer(
            database: try postgres.makeDatabase(), configure: { $0.healthInterval = .milliseconds(50) }
        ) { server in
            func reach(_ status: UInt) async throws {
                try await eventually("/health/ready responds with \(status)") {
                    try await server.request(.GET, "/health/ready").status == status
                }
            }
            try await reach(200)
            try postgres.suspend()
            try await reach(503)
            let live = try await server.request(.GET, "/health/live")
            #expect(live.status == 200)
            try postgres.resume()
            try await reach(200)
        }
        postgres.stop()
    }
}
