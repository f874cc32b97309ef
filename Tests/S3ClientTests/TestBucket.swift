import Basics
import HTTPTransport
import Logging
import S3Double
import Synchronization
import Testing

@testable import S3Client

let quiet = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

func testCredentials(_ name: String = "one") throws -> S3Credentials {
    try #require(S3Credentials(accessKey: "KEY-\(name)", secretKey: "secret-\(name)", sessionToken: "token-\(name)"))
}

/// A client of a store in this process, over a real connection. The client's pauses between attempts are recorded and take no time.
struct TestBucket: Sendable {
    let double: S3Double
    let client: S3Client
    let pauses: Pauses

    func statuses(of method: String) -> [Int] { double.seen.filter { $0.method == method }.map(\.status) }
}

final class Pauses: Sendable {
    private let state = Mutex<[Duration]>([])
    var all: [Duration] { state.withLock { $0 } }
    func add(_ pause: Duration) { state.withLock { $0.append(pause) } }
}

func withBucket<Value>(_ body: (TestBucket) async throws -> Value) async throws -> Value {
    let credentials = try testCredentials()
    let double = S3Double(credentials: credentials)
    return try await double.serve { location in
        let pauses = Pauses()
        let client = try S3Client(
            location, region: nil, transport: HTTPConnections(), logger: quiet, pause: { pauses.add($0) }
        ) { credentials }
        return try await body(TestBucket(double: double, client: client, pauses: pauses))
    }
}

/// A log handler with every line of any level.
struct LineLog: LogHandler {
    let lines: Lines
    var logLevel: Logger.Level = .trace
    var metadata: Logger.Metadata = [:]

    init(_ lines: Lines) { self.lines = lines }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) { lines.add("\(event.message) \(event.metadata ?? [:])") }
}

final class Lines: Sendable {
    private let state = Mutex<[String]>([])
    var all: [String] { state.withLock { $0 } }
    func add(_ line: String) { state.withLock { $0.append(line) } }
}

/// A transport without a network: returns each canned reply once and records the requests.
final class CannedTransport: S3Transport {
    enum Reply: Sendable {
        case response(Int, String)
        /// Never arrives: the request ends when its caller gives up.
        case never
    }

    private let state: Mutex<(replies: [Reply], requests: [HTTPRequest])>
    var requests: [HTTPRequest] { state.withLock { $0.requests } }

    init(_ replies: [Reply]) { state = Mutex((replies, [])) }

    func send(_ request: HTTPRequest, within limit: Duration) async throws -> HTTPResponse {
        let reply: Reply? = state.withLock { state in
            state.requests.append(request)
            return state.replies.isEmpty ? nil : state.replies.removeFirst()
        }
        switch reply {
        case .response(let status, let text): return HTTPResponse(status: status, body: Array(text.utf8))
        case .never:
            let (stream, _) = AsyncStream<Void>.makeStream()
            for await _ in stream {}
            throw CancellationError()
        case nil: throw NoReply()
        }
    }

    struct NoReply: Error {}
}

func cannedClient(
    _ transport: CannedTransport, clock: any Clock<Duration> = ContinuousClock(), at time: any TimeSource = SystemTime()
) throws -> S3Client {
    let credentials = try testCredentials()
    return try S3Client(
        S3Location(parsing: "s3://bucket?region=eu-west-1"), region: nil, transport: transport, logger: quiet,
        time: time,
        clock: clock, pause: { _ in }
    ) { credentials }
}
