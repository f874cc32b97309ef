import Basics
import CloudModel
import CloudStorage
import HTTPTransport
import Logging
import S3Client
import S3Double
import Synchronization
import TestSupport
import Testing

@testable import S3Cloud

let quiet = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

/// A schedule for tests on the machine's clock: looks follow each other immediately.
let hasty = BellSchedule(
    rest: .milliseconds(20), active: .milliseconds(5), patrol: .seconds(30), listing: .seconds(30),
    listingWhileActive: .seconds(30))

/// A store in this process, and its clients over real connections. Pauses between attempts take no time.
struct TestCloud: Sendable {
    let double: S3Double
    let location: S3Location
    let credentials: S3Credentials
    let connections = HTTPConnections()

    /// Returns another device's unconnected backend.
    func backend(
        time: any TimeSource = SystemTime(), clock: any Clock<Duration> = ContinuousClock(),
        schedule: BellSchedule = hasty
    ) throws -> S3Backend {
        let credentials = credentials
        let client = try S3Client(
            location, region: nil, transport: connections, logger: quiet, pause: { _ in await Task.yield() }
        ) { credentials }
        return S3Backend(client, logger: quiet, time: time, clock: clock, schedule: schedule)
    }

    /// Returns a connected device; the first creates the cloud and the container.
    func device(
        time: any TimeSource = SystemTime(), clock: any Clock<Duration> = ContinuousClock(),
        schedule: BellSchedule = hasty
    ) async throws -> S3Backend {
        let backend = try backend(time: time, clock: clock, schedule: schedule)
        _ = try await backend.connect(create: true)
        try await backend.createContainer(.cloudDocs)
        await backend.finishBackgroundWork()
        return backend
    }

    /// Returns the methods of the requests caused by `body`, with each request's part of the cloud.
    func requests(_ body: () async throws -> Void) async throws -> [String: Int] {
        let before = double.seen.count
        try await body()
        return double.seen.dropFirst(before).reduce(into: [:]) { counts, seen in
            counts["\(seen.method) \(part(of: seen.key))", default: 0] += 1
        }
    }

    private func part(of key: String) -> Substring {
        let names = key.dropFirst(location.prefix.count + 1).split(separator: "/")
        return names.first == "containers" ? names.dropFirst(2).first ?? "" : names.first ?? "(list)"
    }
}

func withCloud(prefix: String = "some/prefix", _ body: (TestCloud) async throws -> Void) async throws {
    let credentials = try #require(S3Credentials(accessKey: "KEY", secretKey: "secret"))
    let double = S3Double(credentials: credentials)
    try await double.serve(prefix: prefix) { location in
        try await body(TestCloud(double: double, location: location, credentials: credentials))
    }
}

func expect(_ code: CloudError.Code, _ body: () async throws -> Void) async -> String {
    do {
        try await body()
        Issue.record("it succeeded instead of failing with \(code)")
    } catch let error as CloudError {
        #expect(error.code == code, "\(error)")
        return error.message
    } catch { Issue.record(error) }
    return ""
}

func chunk(_ number: UInt64, bytes: [UInt8]? = nil) -> OutgoingChunk {
    OutgoingChunk(id: ChunkID(words: (number, number, number, number)), frame: bytes ?? Array("frame \(number)".utf8))
}

extension S3Backend {
    func wholeLog() async throws -> [[UInt8]] { try await wholeLog(of: .cloudDocs, page: 64).map(\.payload) }
}

/// A time that advances by two minutes with each read.
final class SteppingTime: TimeSource {
    private let seconds = Mutex<Int64>(1_900_000_000)

    func now() -> Timestamp {
        seconds.withLock { seconds in
            seconds += 120
            return Timestamp(seconds: seconds)
        }
    }
}
