import Basics
import HTTPTransport
import Logging
import S3Double
import Synchronization
import TestSupport
import Testing

@testable import S3Client

@Suite("Failures of object stores")
struct FailureTests {
    @Test(
        "a temporary failure is retried",
        arguments: [
            .refusal(status: 503, code: "SlowDown"), .refusal(status: 409, code: "ConditionalRequestConflict"),
            .refusal(status: 500, code: "InternalError"), .page(status: 502, text: "<html>Bad gateway</html>"),
            .lostRequest, .lostReply, .cut(after: 3),
        ] as [S3Fault])
    func passing(fault: S3Fault) async throws {
        try await withBucket { bucket in
            bucket.double.set("a", Array(0..<100))
            bucket.double.script(fault, times: 2)
            guard case .object(let object) = try await bucket.client.get("a", limit: 100) else {
                Issue.record("not there")
                return
            }
            #expect(object.bytes == Array(0..<100))
            // The HTTP client itself repeats a request on a kept connection that turns out to be closed.
            #expect(bucket.double.seen.count >= 3)
            #expect((1...2).contains(bucket.pauses.all.count))
        }
    }

    @Test("a permanent failure is reported")
    func staying() async throws {
        try await withBucket { bucket in
            bucket.double.script(.refusal(status: 503, code: "SlowDown"), times: 50)
            let error = await #expect(throws: S3Error.self) { try await bucket.client.put("a", []) }
            #expect(error?.code == .throttled)
            #expect(bucket.double.seen.count == S3Retries.tries)
        }
    }

    @Test("a store that requests a long pause is sent no request meanwhile")
    func retryAfter() async throws {
        try await withBucket { bucket in
            bucket.double.script(.refusal(status: 503, code: "SlowDown", wait: 120))
            let error = await #expect(throws: S3Error.self) { try await bucket.client.put("a", []) }
            #expect(error?.code == .throttled)
            #expect(bucket.pauses.all.isEmpty)
        }
    }

    @Test("a reply that arrives in small pieces is read completely")
    func slowLink() async throws {
        try await withBucket { bucket in
            bucket.double.set("a", Array(0..<100))
            bucket.double.script(.slow(piece: 30, pause: .milliseconds(1)))
            guard case .object(let object) = try await bucket.client.get("a", limit: 100) else {
                Issue.record("not there")
                return
            }
            #expect(object.bytes == Array(0..<100))
        }
    }

    @Test("a creation that conflicts with another writer reports the key as taken")
    func otherWriter() async throws {
        try await withBucket { bucket in
            bucket.double.script(.refusal(status: 409, code: "ConditionalRequestConflict"), for: "PUT")
            bucket.double.set("a", [7])
            let creation = try await bucket.client.create("a", [1])
            #expect(creation == .taken)
        }
    }

    @Test(
        "a wrong clock is reported with the difference",
        arguments: [(3660, "minutes behind", 61), (-86_400, "hours ahead", 24)])
    func clock(offset: Int, text: String, difference: Int) async throws {
        try await withBucket { bucket in
            bucket.double.shiftClock(by: .seconds(offset))
            let error = await #expect(throws: S3Error.self) { try await bucket.client.get("a", limit: 1) }
            #expect(error?.code == .wrongClock)
            let message = error?.message ?? ""
            #expect(message.contains(text), "\(message)")
            // The two clocks are read in sequence, minutes apart on a busy machine.
            let number = message.split(whereSeparator: { !$0.isNumber }).compactMap { Int($0) }
            #expect(number.contains { abs($0 - difference) <= 10 }, "\(message)")
            #expect(message.contains("timedatectl"))
            #expect(bucket.double.seen.count == 1)
        }
    }

    @Test("expired and unknown credentials and a wrong secret are distinguished, and no message contains them")
    func credentials() async throws {
        try await withBucket { bucket in
            bucket.double.expireCredentials()
            let expired = await #expect(throws: S3Error.self) { try await bucket.client.get("a", limit: 1) }
            #expect(expired?.code == .expiredCredentials)
            bucket.double.accept(try testCredentials("two"))
            let unknown = await #expect(throws: S3Error.self) { try await bucket.client.get("a", limit: 1) }
            #expect(unknown?.code == .wrongCredentials)
            for error in [expired, unknown] {
                let text = "\(String(reflecting: error)) \(error?.message ?? "")"
                #expect(!text.contains("secret-") && !text.contains("token-") && !text.contains("KEY-"))
            }
        }
    }

    @Test("no log line contains a credential")
    func log() async throws {
        let credentials = try testCredentials()
        let double = S3Double(credentials: credentials)
        let lines = Lines()
        try await double.serve { location in
            let client = try S3Client(
                location, region: nil, transport: HTTPConnections(),
                logger: Logger(label: "test") { _ in LineLog(lines) },
                pause: { _ in }
            ) { credentials }
            for fault in [S3Fault.refusal(status: 503, code: "SlowDown"), .lostReply, .cut(after: 1)] {
                double.script(fault)
                _ = try await client.list("", limit: 1)
            }
        }
        #expect(lines.all.count == 3)
        #expect(lines.all.allSatisfy { line in ["secret-", "token-", "KEY-"].allSatisfy { !line.contains($0) } })
    }

    @Test("a wrong secret is reported as a signature mismatch")
    func wrongSecret() async throws {
        let double = S3Double(credentials: try testCredentials())
        let wrong = try #require(S3Credentials(accessKey: "KEY-one", secretKey: "other"))
        try await double.serve { location in
            let client = try S3Client(location, region: nil, transport: HTTPConnections(), logger: quiet) { wrong }
            let error = await #expect(throws: S3Error.self) { try await client.get("a", limit: 1) }
            #expect(error?.code == .wrongCredentials)
            #expect(error?.message.contains("SignatureDoesNotMatch") == true)
        }
    }

    @Test("credentials that were renewed in the meantime are used without a failure")
    func renewal() async throws {
        let (old, new) = (try testCredentials("old"), try testCredentials("new"))
        let double = S3Double(credentials: new)
        let calls = Mutex(0)
        try await double.serve { location in
            let client = try S3Client(location, region: nil, transport: HTTPConnections(), logger: quiet) {
                calls.withLock { calls in
                    calls += 1
                    return calls == 1 ? old : new
                }
            }
            try await client.put("a", [1])
            #expect(double.objects["a"] == [1])
            #expect(calls.withLock { $0 } == 2)
        }
    }

    @Test("a missing bucket and a bucket of another region are reported by name")
    func place() async throws {
        let credentials = try testCredentials()
        let double = S3Double(credentials: credentials)
        try await double.serve { location in
            func code(_ location: S3Location) async throws -> S3Error? {
                let client = try S3Client(location, region: nil, transport: HTTPConnections(), logger: quiet) {
                    credentials
                }
                return await #expect(throws: S3Error.self) { try await client.get("a", limit: 1) }
            }
            let other = try await code(
                S3Location(bucket: "other", endpoint: location.endpoint, region: location.region))
            #expect(other?.code == .noBucket)
            let region = try await code(
                S3Location(bucket: location.bucket, endpoint: location.endpoint, region: "us-x"))
            #expect(region?.code == .wrongRegion)
            #expect(region?.message.contains("eu-test-1") == true)
        }
    }

    @Test("an error page of another program says nothing about an object", arguments: [200, 403, 404])
    func foreign(status: Int) async throws {
        let page = CannedTransport.Reply.response(status, "<html><body>Sign in</body></html>")
        let client = try cannedClient(CannedTransport(Array(repeating: page, count: 3)))
        let error = await #expect(throws: S3Error.self) { try await client.list("", limit: 1) }
        #expect(error?.code == (status == 200 ? .damaged : .unavailable))
    }

    @Test("a missing connection is unavailable, with the reason")
    func noConnection() async throws {
        let credentials = try testCredentials()
        // No program has this port without privileges, so nothing listens there while the tests run.
        let location = try S3Location(bucket: "bucket", endpoint: "http://127.0.0.1:1")
        let client = try S3Client(
            location, region: nil, transport: HTTPConnections(), logger: quiet, pause: { _ in }
        ) { credentials }
        let error = await #expect(throws: S3Error.self) { try await client.get("a", limit: 1) }
        #expect(error?.code == .unavailable)
        #expect(error?.message.contains("connection refused") == true)
    }

    @Test("a request without a reply ends at its time limit and is sent again")
    func timeLimit() async throws {
        let clock = ManualClock()
        let transport = CannedTransport([.never, .response(200, "x")])
        let client = try cannedClient(transport, clock: clock)
        async let reading = client.get("a", limit: 1)
        await clock.untilSleeping(before: .seconds(60))
        clock.advance(by: .seconds(60))
        let result = try await reading
        #expect(result == .object(S3Object(bytes: [UInt8(ascii: "x")], etag: nil)))
        #expect(transport.requests.count == 2)
    }

    @Test("a cancelled caller returns with a cancellation error", .timeLimit(.minutes(10)))
    func cancellation() async throws {
        try await withBucket { bucket in
            bucket.double.script(.silence, times: 9)
            let client = bucket.client
            let task = Task { try await client.get("a", limit: 1) }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
        }
    }

    @Test("a request's description contains no headers")
    func requestText() async throws {
        let transport = CannedTransport([.response(200, "x")])
        _ = try await cannedClient(transport).get("a", limit: 1)
        let request = try #require(transport.requests.first)
        #expect(request.headers.contains { $0.value == "token-one" })
        var text = "\(request) \(String(reflecting: request))"
        dump(request, to: &text)
        #expect(!text.contains("token-") && !text.contains("Signature"))
    }
}
