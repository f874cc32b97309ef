import Basics
import CloudModel
import Foundation
import HTTPTransport
import Logging
import S3Client
import S3Double
import Testing

@testable import ServerStorage

/// A bucket in this process, for the chunks of one test's servers. Pauses between attempts take no time.
struct TestBucket: Sendable {
    /// The running test's bucket; nil if its servers keep chunks in files.
    @TaskLocal static var current: TestBucket?

    let double: S3Double
    let location: S3Location
    let credentials: S3Credentials

    static func run(_ body: @Sendable () async throws -> Void) async throws {
        let credentials = try #require(S3Credentials(accessKey: "KEY", secretKey: "secret"))
        let double = S3Double(credentials: credentials)
        try await double.serve { location in
            let bucket = TestBucket(double: double, location: location, credentials: credentials)
            try await $current.withValue(bucket) { try await body() }
        }
    }

    /// Returns the location for the server with the directory `path`.
    func location(for path: String) throws -> S3Location {
        let name = path.split(separator: "/").last.map(String.init) ?? "server"
        return try S3Location(
            bucket: location.bucket, prefix: "some/\(name)", endpoint: location.endpoint, region: location.region)
    }

    func client(of location: S3Location) throws -> S3Client {
        let credentials = credentials
        return try S3Client(
            location, region: nil, transport: HTTPConnections(), logger: quiet, pause: { _ in await Task.yield() }
        ) { credentials }
    }
}

/// Opens a server's storage, with its chunks in the running test's place.
func openStore(
    at path: String, serving: Bool = true, time: any TimeSource = SystemTime()
) throws -> ServerStore {
    var place = try ServerPlace.test(path)
    guard let bucket = TestBucket.current else {
        return try ServerStore(place, serving: serving, log: quiet, time: time)
    }
    let location = try bucket.location(for: path)
    place.chunks = location
    return try ServerStore(
        place, serving: serving, log: quiet, time: time, bucket: bucket.client(of: location))
}

/// The frames of a server's chunks, as a fault finds them: in the files of its directory, or in its bucket.
struct Frames {
    let path: String
    private let prefix: String

    init(at path: String) throws {
        self.path = path
        prefix = try TestBucket.current.map { "\(try $0.location(for: path).prefix)/chunks/" } ?? ""
    }

    var names: [String] {
        guard let bucket = TestBucket.current else {
            let files = FileManager.default.enumerator(atPath: "\(path)/chunks")?.compactMap { $0 as? String } ?? []
            return files.filter { $0.contains("-") }
        }
        return bucket.double.objects.keys.filter { $0.hasPrefix(prefix) }.map { String($0.dropFirst(prefix.count)) }
    }

    /// Replaces the bytes of a frame; nil removes it.
    func set(_ name: String, _ bytes: [UInt8]?) throws {
        if let bucket = TestBucket.current {
            bucket.double.set(prefix + name, bytes)
        } else if let bytes {
            try Data(bytes).write(to: URL(filePath: "\(path)/chunks/\(name)"))
        } else {
            try FileManager.default.removeItem(atPath: "\(path)/chunks/\(name)")
        }
    }
}

/// Runs each test of a suite twice: with chunks in files, and with chunks in a bucket. With PostgreSQL only in a bucket, as a cluster does.
struct ChunkHomesTrait: SuiteTrait, TestTrait, TestScoping {
    var isRecursive: Bool { true }

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable @concurrent () async throws -> Void
    ) async throws {
        if StorageEngine.current == .sqlite { try await function() }
        try await TestBucket.run { try await function() }
    }
}

extension Trait where Self == ChunkHomesTrait {
    /// With chunks in files, then with chunks in a bucket.
    static var inFilesAndInABucket: Self { Self() }
}
