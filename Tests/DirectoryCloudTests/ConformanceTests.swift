import SystemPackage
import TestSupport
import Testing

@Suite("The directory keeps the contract of a cloud")
struct ConformanceTests {
    @Test("The directory keeps the rule", .timeLimit(.minutes(1)), arguments: CloudRule.all + CloudRule.collecting)
    func keeps(_ rule: CloudRule) async throws {
        try await withFolder { folder in
            try await rule.check(CloudUnderTest { backend(folder.appending("cloud")) })
        }
    }
}
