import FoundationEssentials
package import S3Client

/// The policy of a device's credentials, in the language of IAM ("Policies and permissions in Amazon S3", Amazon S3
/// User Guide).
///
/// A device may read everything below the prefix, add to logs without replacing an entry, and write chunks and the
/// bell. It may delete nothing; only the garbage collecting device may delete chunks.
package struct S3Policy: Sendable {
    package let location: S3Location
    package let collects: Bool

    package init(for location: S3Location, collects: Bool) {
        self.location = location
        self.collects = collects
    }

    private struct Document: Encodable {
        let version = "2012-10-17"
        let statements: [Statement]

        enum CodingKeys: String, CodingKey { case version = "Version", statements = "Statement" }
    }

    private struct Statement: Encodable {
        let id: String
        let effect = "Allow"
        let actions: [String]
        let resources: [String]
        var condition: [String: [String: String]]?

        enum CodingKeys: String, CodingKey {
            case id = "Sid", effect = "Effect", actions = "Action", resources = "Resource", condition = "Condition"
        }
    }

    /// - Returns: The policy as JSON.
    package func json() throws -> String {
        let layout = S3Layout(prefix: Self.escaped(location.prefix))
        let bucket = "arn:aws:s3:::\(location.bucket)"
        let containers = "\(layout.prefix)containers/*"
        func objects(_ keys: String...) -> [String] { keys.map { "\(bucket)/\($0)" } }
        var statements = [
            // Without it, a store reports an absent object as forbidden instead.
            Statement(id: "List", actions: ["s3:ListBucket"], resources: [bucket]),
            Statement(id: "Read", actions: ["s3:GetObject"], resources: objects("\(layout.prefix)*")),
            Statement(
                id: "Write", actions: ["s3:PutObject"], resources: objects(layout.bell, "\(containers)/chunks/*")),
            Statement(
                id: "CreateOnly", actions: ["s3:PutObject"],
                resources: objects(
                    layout.identity, "\(layout.probes)*", "\(layout.names)*", "\(containers)/log/*",
                    "\(containers)/segments/*"),
                // The request must have the header If-None-Match.
                condition: ["Null": ["s3:if-none-match": "false"]]),
        ]
        if collects {
            statements.append(
                Statement(id: "Collect", actions: ["s3:DeleteObject"], resources: objects("\(containers)/chunks/*")))
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(Document(statements: statements)), as: UTF8.self)
    }

    /// Escapes the characters that are wildcards or variables in a policy.
    private static func escaped(_ text: String) -> String {
        text.map { "*?$".contains($0) ? "${\($0)}" : String($0) }.joined()
    }
}
