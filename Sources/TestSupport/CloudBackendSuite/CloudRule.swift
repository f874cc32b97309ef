package import CloudModel
package import CloudStorage

/// A rule of the contract ``CloudBackend``, with its proof. Every backend is tested against all rules:
///
///     @Test("The directory keeps the contract", arguments: CloudRule.all)
///     func keeps(_ rule: CloudRule) async throws {
///         try await rule.check(CloudUnderTest { DirectoryBackend(path: folder, logger: logger) })
///     }
///
/// A proof waits for its event without a limit, so give the test a time limit.
package struct CloudRule: Sendable, CustomStringConvertible {
    package let sentence: String
    private let proof: @Sendable (CloudUnderTest) async throws -> Void

    init(_ sentence: String, _ proof: @escaping @Sendable (CloudUnderTest) async throws -> Void) {
        self.sentence = sentence
        self.proof = proof
    }

    package var description: String { sentence }

    /// Runs the proof. `cloud` must be a place where no cloud has been created yet.
    package func check(_ cloud: CloudUnderTest) async throws { try await proof(cloud) }

    package static let all = connection + containers + log + concurrency + chunks + events
}

/// A place for a cloud, and the way to open it from an additional device.
package struct CloudUnderTest: Sendable {
    private let open: @Sendable () async throws -> any CloudBackend

    /// Creates a cloud whose `open` returns a new instance for the same place at each call, not connected yet.
    package init(open: @escaping @Sendable () async throws -> any CloudBackend) { self.open = open }

    func unconnected() async throws -> any CloudBackend { try await open() }

    /// Returns a connected instance, as for each device; the first instance creates the cloud.
    func device() async throws -> any CloudBackend {
        let backend = try await open()
        _ = try await backend.connect(create: true)
        return backend
    }

    /// Returns two devices and a container usable by both.
    func twoDevices() async throws -> (any CloudBackend, any CloudBackend, ContainerName) {
        let (one, other) = (try await device(), try await device())
        try await one.createContainer(.cloudDocs)
        return (one, other, .cloudDocs)
    }
}

/// Returns a chunk to upload: the suite needs distinct ids, not correct digests.
func chunk(_ number: UInt64) -> (id: ChunkID, frame: [UInt8]) {
    var bytes = [UInt8](repeating: 0, count: 32)
    // The low byte first, so ids differ in the part used by backends for sharding.
    for index in 0..<8 { bytes[index] = UInt8(truncatingIfNeeded: number >> (8 * index)) }
    guard let id = ChunkID(bytes) else { preconditionFailure("a digest has 32 bytes") }
    return (id, Array("frame \(number)".utf8))
}

extension CloudBackend {
    /// Returns the whole log, read in pages.
    package func wholeLog(of container: ContainerName, page: Int = 7) async throws -> [LogRecord] {
        var records: [LogRecord] = []
        while true {
            let more = try await entries(in: container, after: records.last?.sequence ?? .zero, limit: page)
            if more.isEmpty { return records }
            records += more
        }
    }
}
