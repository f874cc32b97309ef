import DaemonProtocol
import Synchronization
import Testing

@Suite("The end of the control socket")
struct SocketEndTests {
    @Test("a server that ends while clients are still arriving ends in order", arguments: 0..<8)
    func arriving(round: Int) async throws {
        let handler = ScriptedHandler { _ in DaemonResponse(DoneResponse()) }
        try await FakeDaemon.with(handler) { daemon in
            let record = daemon.record
            // Not waited for: the server ends in the middle of them.
            Task.detached { for _ in 0..<32 { _ = try? await RawClient.connect(record) } }
            for _ in 0..<4 { _ = try await RawClient.connect(record) }
        }
    }

    @Test("no connection outlasts the server, served or not", arguments: 0..<4)
    func closes(round: Int) async throws {
        let handler = ScriptedHandler { _ in DaemonResponse(DoneResponse()) }
        let clients = Mutex<[RawClient]>([])
        try await FakeDaemon.with(handler) { daemon in
            for _ in 0..<6 {
                let client = try await RawClient.connect(daemon.record)
                clients.withLock { $0.append(client) }
            }
        }
        for client in clients.withLock({ $0 }) {
            // An end, or a reset where something of it was still on its way; a silence would be an error after long.
            let answer = try? await client.next()
            #expect(answer == nil, "round \(round)")
        }
    }
}
