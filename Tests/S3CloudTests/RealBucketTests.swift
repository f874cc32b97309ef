import Basics
import CloudModel
import CloudStorage
import Foundation
import HTTPTransport
import S3Client
import S3Double
import TestSupport
import Testing

@testable import S3Cloud

/// The rules on a real store (``RealBucket``).
@Suite("A real bucket keeps the contract of a cloud", .serialized, .enabled(if: RealBucket.isMeant))
struct RealBucketTests {
    @Test(
        "The real bucket keeps the rule", .timeLimit(.minutes(5)), arguments: CloudRule.all + CloudRule.collecting)
    func keeps(_ rule: CloudRule) async throws {
        try await RealBucket.withCloud { open in
            try await rule.check(CloudUnderTest { try open() })
        }
    }

    @Test("Entries of a thousand appends are read through a segment", .timeLimit(.minutes(5)))
    func segments() async throws {
        try await RealBucket.withCloud { open in
            let writer = try open()
            _ = try await writer.connect(create: true)
            try await writer.createContainer(.cloudDocs)
            for number in 1...1005 { _ = try await writer.append(Array("entry \(number)".utf8), to: .cloudDocs) }
            await writer.finishBackgroundWork()
            let reader = try open()
            _ = try await reader.connect(create: false)
            let log = try await reader.wholeLog()
            #expect(log == (1...1005).map { Array("entry \($0)".utf8) })
            #expect(reader.known(.cloudDocs).absentSegments.isEmpty)
        }
    }
}

extension RealBucket {
    private static let connections = HTTPConnections()

    /// Runs `body` with a separate prefix, and deletes its objects afterwards.
    fileprivate static func withCloud(_ body: (@escaping @Sendable () throws -> S3Backend) async throws -> Void)
        async throws
    {
        let location = try place(named: "test")
        let source = S3CredentialSource(environment: ProcessInfo.processInfo.environment, home: "/")
        let client = try S3Client(location, region: nil, transport: connections, logger: quiet) {
            () throws(S3ConfigurationError) in try source.find().credentials
        }
        do { try await body { S3Backend(client, logger: quiet, schedule: hasty) } } catch {
            try await clear(client)
            throw error
        }
        try await clear(client)
    }

    private static func clear(_ client: S3Client) async throws {
        while true {
            let keys = try await client.list("\(client.location.prefix)/", limit: 1000).map(\.key)
            if keys.isEmpty { return }
            try await client.delete(keys)
        }
    }
}
