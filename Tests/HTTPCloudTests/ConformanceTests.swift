import ServerSupport
import TestSupport
import Testing

@Suite("A server conforms to the contract of a cloud")
struct ConformanceTests {
    @Test("The server conforms to the rule", .timeLimit(.minutes(10)), arguments: CloudRule.all)
    func keeps(_ rule: CloudRule) async throws {
        try await withServer { server in
            let first = try await server.token()
            let second = try await server.token()
            let turns = Turns()
            try await rule.check(CloudUnderTest { server.backend(turns.next().isMultiple(of: 2) ? first : second) })
        }
    }
}
