import S3Double
import TestSupport
import Testing

@testable import S3Client

@Suite("Objects in a bucket")
struct ObjectTests {
    @Test(
        "an object of any key is written, read, measured and deleted",
        arguments: [
            "a", "folder/a b", "ü/é", "a+b", "a%2Fb", "x=y&z?#", "\"'<>&;,", "~-._*()!@$", "a//b", "日本", "tab\there",
        ])
    func keys(key: String) async throws {
        try await withBucket { bucket in
            let bytes: [UInt8] = Array(0...255)
            try await bucket.client.put(key, bytes)
            #expect(bucket.double.objects == [key: bytes])
            guard case .object(let object) = try await bucket.client.get(key, limit: 256) else {
                Issue.record("not there")
                return
            }
            #expect(object.bytes == bytes)
            let size = try await bucket.client.size(key)
            #expect(size == 256)
            let listed = try await bucket.client.list(String(key.prefix(1)), limit: 10)
            #expect(listed == [S3Listed(key: key, size: 256)])
            try await bucket.client.delete(key)
            #expect(bucket.double.objects.isEmpty)
            let missing = try await bucket.client.get(key, limit: 256)
            #expect(missing == .missing)
            let none = try await bucket.client.size(key)
            #expect(none == nil)
            try await bucket.client.delete(key)
        }
    }

    @Test("an empty object is written and read")
    func empty() async throws {
        try await withBucket { bucket in
            let creation = try await bucket.client.create("a", [])
            #expect(creation == .created)
            let size = try await bucket.client.size("a")
            #expect(size == 0)
            guard case .object(let object) = try await bucket.client.get("a", limit: 0) else {
                Issue.record("not there")
                return
            }
            #expect(object.bytes.isEmpty)
        }
    }

    @Test("a range of an object is read, shorter at its end and empty past it")
    func ranges() async throws {
        try await withBucket { bucket in
            bucket.double.set("a", Array(0..<100))
            for (range, expected) in [(10..<20, Array(10..<20)), (95..<200, Array(95..<100)), (0..<1, [0])] {
                let bounds = UInt64(range.lowerBound)..<UInt64(range.upperBound)
                guard case .object(let object) = try await bucket.client.get("a", range: bounds, limit: 200) else {
                    Issue.record("not there")
                    return
                }
                #expect(object.bytes == expected.map { UInt8($0) })
            }
            let error = await #expect(throws: S3Error.self) {
                try await bucket.client.get("a", range: 100..<101, limit: 9)
            }
            #expect(error?.code == .noRange)
        }
    }

    @Test("an object whose tag is unchanged is not sent again")
    func tags() async throws {
        try await withBucket { bucket in
            bucket.double.set("bell", [1])
            guard case .object(let first) = try await bucket.client.get("bell", limit: 9) else { return }
            let again = try await bucket.client.get("bell", unless: first.etag, limit: 9)
            #expect(again == .unchanged)
            bucket.double.set("bell", [2])
            guard case .object(let second) = try await bucket.client.get("bell", unless: first.etag, limit: 9) else {
                Issue.record("not noticed")
                return
            }
            #expect(second.bytes == [2])
        }
    }

    @Test("an object larger than the reader's limit is refused")
    func limit() async throws {
        try await withBucket { bucket in
            bucket.double.set("a", [1, 2, 3])
            let error = await #expect(throws: S3Error.self) { try await bucket.client.get("a", limit: 2) }
            #expect(error?.code == .tooLong)
        }
    }

    @Test("if several clients create one key at once, one succeeds")
    func race() async throws {
        try await withBucket { bucket in
            let client = bucket.client
            let results = try await withThrowingTaskGroup(of: (UInt8, S3Creation).self) { group in
                for number in 0..<8 { group.addTask { (UInt8(number), try await client.create("a", [UInt8(number)])) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            let winners = results.filter { $0.1 == .created }.map(\.0)
            #expect(winners.count == 1)
            #expect(bucket.double.objects["a"] == winners)
        }
    }

    @Test("a creation whose reply was lost is found to have succeeded")
    func lostReply() async throws {
        try await withBucket { bucket in
            bucket.double.script(.lostReply, for: "PUT")
            let creation = try await bucket.client.create("a", [1, 2])
            #expect(creation == .created)
            #expect(bucket.statuses(of: "PUT") == [200, 412])
            #expect(bucket.statuses(of: "GET") == [200])
        }
    }

    @Test(
        "a creation that was lost on the way is taken if another object exists",
        arguments: [[9], [9, 9, 9]] as [[UInt8]])
    func lostRequest(other: [UInt8]) async throws {
        try await withBucket { bucket in
            bucket.double.set("a", other)
            bucket.double.script(.lostRequest, for: "PUT")
            let creation = try await bucket.client.create("a", [1, 2])
            #expect(creation == .taken)
            #expect(bucket.double.objects["a"] == other)
        }
    }

    @Test("a creation that is repeated after an error is found to have succeeded, and one with other bytes is taken")
    func taken() async throws {
        try await withBucket { bucket in
            bucket.double.script(.lostReply, for: "PUT", times: S3Retries.triesWithoutReply)
            await #expect(throws: S3Error.self) { try await bucket.client.create("a", [1]) }
            let again = try await bucket.client.create("a", [1])
            #expect(again == .created)
            let other = try await bucket.client.create("a", [2])
            #expect(other == .taken)
            #expect(bucket.double.objects["a"] == [1])
        }
    }

    @Test("a listing continues over its pages, after a key, and up to its limit")
    func listing() async throws {
        try await withBucket { bucket in
            bucket.double.limitPages(to: 2)
            for number in 0..<7 { bucket.double.set("log/\(number)", [UInt8](repeating: 0, count: number)) }
            bucket.double.set("other", [])
            let all = try await bucket.client.list("log/", limit: 100)
            #expect(all == (0..<7).map { S3Listed(key: "log/\($0)", size: UInt64($0)) })
            let behind = try await bucket.client.list("log/", after: "log/2", limit: 3)
            #expect(behind.map(\.key) == ["log/3", "log/4", "log/5"])
            let none = try await bucket.client.list("none/", limit: 100)
            #expect(none.isEmpty)
        }
    }

    @Test("many objects are deleted with one request per thousand")
    func deletion() async throws {
        try await withBucket { bucket in
            let keys = (0..<1001).map { "k & \($0)" }
            for key in keys { bucket.double.set(key, []) }
            bucket.double.set("kept", [])
            try await bucket.client.delete(keys + ["was never there"])
            #expect(Array(bucket.double.objects.keys) == ["kept"])
            #expect(bucket.statuses(of: "POST") == [200, 200])
        }
    }

    @Test(
        "a key that cannot be sent unchanged is refused before the request",
        arguments: ["", "/a", "a/../b", ".", String(repeating: "k", count: 1025)])
    func badKeys(key: String) async throws {
        try await withBucket { bucket in
            let error = await #expect(throws: S3Error.self) { try await bucket.client.put(key, []) }
            #expect(error?.code == .invalid)
            #expect(bucket.double.seen.isEmpty)
        }
    }
}
