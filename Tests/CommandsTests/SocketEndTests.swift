import DaemonProtocol
import Testing

@Suite("The end of the control socket")
struct SocketEndTests {
    @Test("a server that ends while clients are still arriving ends in order", arguments: 0..<40)
    func arriving(round: Int) async throws {
        let handler = ScriptedHandler { _ in .done(DoneResponse()) }
        try await FakeDaemon.with(handler) { daemon in
            let record = daemon.record
            // Not waited for: the server ends in the middle of them.
            Task.detached { for _ in 0..<32 { _ = try? await RawClient.connect(record) } }
            for _ in 0..<4 { _ = try await RawClient.connect(record) }
        }
    }
}
