import CloudStorage
import S3Client
import S3Double
import TestSupport
import Testing

@Suite("A bucket keeps the contract of a cloud", .serialized)
struct ConformanceTests {
    @Test("The bucket keeps the rule", .timeLimit(.minutes(5)), arguments: CloudRule.all + CloudRule.collecting)
    func keeps(_ rule: CloudRule) async throws {
        try await withCloud { cloud in
            try await rule.check(CloudUnderTest { try cloud.backend() })
        }
    }
}
