import Foundation
import S3Client
import Testing

@testable import S3Cloud

@Suite("The policy of a device's credentials")
struct PolicyTests {
    private struct Policy: Decodable {
        struct Statement: Decodable {
            let Sid: String
            let Action: [String]
            let Resource: [String]
            let Condition: [String: [String: String]]?
        }

        let Version: String
        let Statement: [Statement]
    }

    private func policy(collects: Bool, prefix: String = "some/prefix") throws -> Policy {
        let location = try S3Location(bucket: "bucket", prefix: prefix)
        let text = try S3Policy(for: location, collects: collects).json()
        return try JSONDecoder().decode(Policy.self, from: Data(text.utf8))
    }

    @Test("The policy of a device deletes nothing, and creates entries without replacing any")
    func device() throws {
        let policy = try policy(collects: false)
        #expect(policy.Version == "2012-10-17")
        #expect(!policy.Statement.contains { $0.Action.contains { $0.contains("Delete") } })
        for statement in policy.Statement where statement.Action == ["s3:PutObject"] {
            let touchesLog = statement.Resource.contains {
                $0.hasSuffix("/log/*") || $0.hasSuffix("/segments/*") || $0.hasSuffix("/ubiquity-cloud")
            }
            #expect(touchesLog == (statement.Condition == ["Null": ["s3:if-none-match": "false"]]))
        }
        #expect(policy.Statement.flatMap(\.Resource).allSatisfy { $0.hasPrefix("arn:aws:s3:::bucket") })
    }

    @Test("The device that collects may delete chunks and nothing else")
    func collector() throws {
        let deleting = try policy(collects: true).Statement.filter { $0.Action.contains("s3:DeleteObject") }
        #expect(deleting.map(\.Resource) == [["arn:aws:s3:::bucket/some/prefix/containers/*/chunks/*"]])
    }

    @Test("A prefix cannot widen the policy")
    func wildcards() throws {
        let read = try #require(try policy(collects: false, prefix: "a*b?c").Statement.first { $0.Sid == "Read" })
        #expect(read.Resource == ["arn:aws:s3:::bucket/a${*}b${?}c/*"])
    }
}
