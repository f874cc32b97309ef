import Basics
import HTTPTransport
import Logging
import S3Double
import Synchronization
import TestSupport
import Testing

@testable import S3Client

@Suite("Failures of a bucket")
struct FailureTests {
    @Test(
        "a failure that passes is waited out",
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
            #expect(bucket.double.seen.count == 3)
            #expect(bucket.pauses.all.count == 2)
        }
    }

    @Test("a failure that stays is reported")
    func staying() async throws {
        try await withBucket { bucket in
            bucket.double.script(.refusal(status: 503, code: "SlowDown"), times: 50)
            let error = await #expect(throws: S3Error.self) { try await bucket.client.put("a", []) }
            #expect(error?.code == .throttled)
            #expect(bucket.double.seen.count == S3Retries.tries)
        }
    }

    @Test("a store that asks for a long pause is left alone")
    func retryAfter() async throws {
        try await withBucket { bucket in
            bucket.double.script(.refusal(status: 503, code: "SlowDown", wait: 120))
            let error = await #expect(throws: S3Error.self) { try await bucket.client.put("a", []) }
            #expect(error?.code == .throttled)
            #expect(bucket.pauses.all.isEmpty)
        }
    }

    @Test("a reply that comes in small pieces is read whole")
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

    @Test("a creation between two writers is taken for the later one")
    func otherWriter() async throws {
        try await withBucket { bucket in
            bucket.double.script(.refusal(status: 409, code: "ConditionalRequestConflict"), for: "PUT")
            bucket.double.set("a", [7])
            let creation = try await bucket.client.create("a", [1])
            #expect(creation == .taken)
        }
    }

    @Test(
        "a clock that is wrong is named, with the difference",
        arguments: [(3660, "61 minutes behind"), (-86_400, "24 hours ahead")])
    func clock(offset: Int, text: String) async throws {
        try await withBucket { bucket in
            bucket.double.shiftClock(by: .seconds(offset))
            let error = await #expect(throws: S3Error.self) { try await bucket.client.get("a", limit: 1) }
            #expect(error?.code == .wrongClock)
            // The difference may be rounded down by one, because the two clocks are read a moment apart.
            let message = error?.message ?? ""
            #expect(
                message.contains(text) || message.contains("60 minutes behind") || message.contains("23 hours ahead"))
            #expect(message.contains("timedatectl"))
            #expect(bucket.double.seen.count == 1)
        }
    }

    @Test("expired and unknown credentials, and a wrong secret, are distinguished, and no message holds them")
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

    @Test("no line of the log holds a credential")
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

    @Test("a secret that is wrong is refused as a signature")
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

    @Test("credentials that were renewed meanwhile are used without a failure")
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

    @Test("a bucket that is not there, and one of another region, are named")
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

    @Test("a page of another program says nothing about an object", arguments: [200, 403, 404])
    func foreign(status: Int) async throws {
        let page = CannedTransport.Reply.response(status, "<html><body>Sign in</body></html>")
        let client = try cannedClient(CannedTransport(Array(repeating: page, count: 3)))
        let error = await #expect(throws: S3Error.self) { try await client.list("", limit: 1) }
        #expect(error?.code == (status == 200 ? .damaged : .unavailable))
    }

    @Test("no connection is unavailable, with the reason")
    func noConnection() async throws {
        let credentials = try testCredentials()
        let location = try S3Location(bucket: "bucket", endpoint: "http://127.0.0.1:\(Loopback.freePort())")
        let client = try S3Client(
            location, region: nil, transport: HTTPConnections(), logger: quiet, pause: { _ in }
        ) { credentials }
        let error = await #expect(throws: S3Error.self) { try await client.get("a", limit: 1) }
        #expect(error?.code == .unavailable)
        #expect(error?.message.contains("connection refused") == true)
    }

    @Test("a request that gets no reply ends with its time limit and is sent again")
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

    @Test("a cancelled caller returns, and gets its own error", .timeLimit(.minutes(1)))
    func cancellation() async throws {
        try await withBucket { bucket in
            bucket.double.script(.silence, times: 9)
            let client = bucket.client
            let task = Task { try await client.get("a", limit: 1) }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
        }
    }

    @Test("a request's description has no header")
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
