import SystemPackage
import TestSupport
import Testing

@Suite("A directory conforms to the contract of a cloud")
struct ConformanceTests {
    @Test(
        "The directory conforms to the rule", .timeLimit(.minutes(10)), arguments: CloudRule.all + CloudRule.collecting)
    func keeps(_ rule: CloudRule) async throws {
        try await withFolder { folder in
            try await rule.check(CloudUnderTest { backend(folder.appending("cloud")) })
        }
    }
}
