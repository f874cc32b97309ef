import DaemonProtocol
import Synchronization
import Testing

@Suite("Shutdown of the control socket")
struct SocketEndTests {
    @Test("a server that is shut down while clients connect ends in an orderly way", arguments: 0..<8)
    func arriving(round: Int) async throws {
        let handler = ScriptedHandler { _ in DaemonResponse(DoneResponse()) }
        try await FakeDaemon.with(handler) { daemon in
            let record = daemon.record
            // The test does not wait for these connections: the server ends while they are being opened.
            Task.detached { for _ in 0..<32 { _ = try? await RawClient.connect(record) } }
            for _ in 0..<4 { _ = try await RawClient.connect(record) }
        }
    }

    @Test("no connection outlives the server, whether it was served or not", arguments: 0..<4)
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
            // The client reads an end of the stream, or a reset where unread bytes were on their way. Silence would be an error after a
            // long time.
            let answer = try? await client.next()
            #expect(answer == nil, "round \(round)")
        }
    }
}
