import Basics
package import CloudModel

/// A cloud: anything that can order appends and store bytes. It does not interpret logs; payloads are opaque.
///
/// Every method is idempotent, and throws only ``CloudError`` and `CancellationError`. An ability that only some clouds have is a protocol
/// of its own that refines this one: ``ChangeNotifying``, ``ChunkBatching``, ``ChunkCollecting``, ``ChunkReading``, ``LinkPublishing``,
/// ``RemoteResettable``, ``WorkDeferring``. A caller gets it from ``facet(_:)``.
package protocol CloudBackend: Sendable {
    /// Opens the cloud, and makes it if `create` is set and there is none. Without `create`, an absent cloud is `offline`, never an empty
    /// one.
    ///
    /// - Returns: The cloud's identity. A device that has synced with one identity refuses another that does not continue it
    ///   (``CloudIdentity/continues(_:readTo:)``).
    func connect(create: Bool) async throws -> CloudIdentity

    func containers() async throws -> [ContainerName]
    /// Makes a container; does nothing if it exists.
    func createContainer(_ name: ContainerName) async throws

    /// Appends one entry to a log. On return the entry and every chunk put before it are durable. After an error that leaves the outcome
    /// open, the caller appends the same payload again: the reducer ignores repeats.
    ///
    /// - Throws: `damaged` if such a chunk was lost on its way, or the log is shorter than it was. The caller then connects again, reads
    ///   on, queries ``missing(_:in:)`` for all chunks that the payload names, and puts those before it retries.
    func append(_ payload: [UInt8], to container: ContainerName) async throws -> LogSequence
    /// Returns at most `limit` entries after `sequence`, in order and without gaps; none at the end of the log.
    ///
    /// - Throws: `damaged` if the log ends before `sequence`.
    func entries(in container: ContainerName, after sequence: LogSequence, limit: Int) async throws -> [LogRecord]

    /// Returns those of these chunks that are missing. The next append makes the others durable, as if the caller had put them.
    func missing(_ chunks: [ChunkID], in container: ContainerName) async throws -> Set<ChunkID>
    /// Stores a chunk's frame (``Chunking`` makes and verifies frames). Does not overwrite an existing one: a chunk's name is the digest of
    /// its bytes.
    func putChunk(_ chunk: OutgoingChunk, in container: ContainerName) async throws
    /// Marks chunks as corrupt, whose bytes a reader found to differ from their digest. Until they are put again they count as missing, and
    /// ``putChunk(_:in:)`` overwrites them.
    func distrust(_ chunks: Set<ChunkID>, in container: ContainerName) async throws
    /// - Returns: The whole frame.
    /// - Throws: `notFound` when there is none.
    func getChunk(_ id: ChunkID, in container: ContainerName) async throws -> [UInt8]

    /// - Returns: The total and the free bytes of the cloud, for `df`; nil if it has no limit.
    func space() async throws -> CloudSpace?

    /// Returns this cloud as one that has an ability beyond the contract; nil if it does not.
    func facet<Facet>(_ type: Facet.Type) -> Facet?
}

extension CloudBackend {
    package func facet<Facet>(_ type: Facet.Type) -> Facet? { self as? Facet }
}

extension CloudBackend {
    package func putChunk(
        _ id: ChunkID, kind: OutgoingChunk.Kind = .data, frame: [UInt8], in container: ContainerName
    ) async throws {
        try await putChunk(OutgoingChunk(id: id, kind: kind, frame: frame), in: container)
    }
}

/// One entry of a log as stored.
package struct LogRecord: Hashable, Sendable {
    package let sequence: LogSequence
    package let payload: [UInt8]
    package init(sequence: LogSequence, payload: [UInt8]) {
        self.sequence = sequence
        self.payload = payload
    }
}

/// The identity of a cloud, whatever address leads to it.
package struct CloudIdentity: Hashable, Sendable {
    package let text: String
    /// The identities that the cloud had before it was restored from a backup or lost a container, each with how many entries of each log
    /// of that time are still there.
    package let former: [String: [ContainerName: LogSequence]]

    package init(_ text: String, former: [String: [ContainerName: LogSequence]] = [:]) {
        self.text = text
        self.former = former
    }

    /// Whether a device that knows this cloud by `name` and has read its logs up to `cursors` may continue, because nothing that it saw is
    /// gone.
    package func continues(_ name: String, readTo cursors: [ContainerName: LogSequence]) -> Bool {
        if name == text { return true }
        guard let ends = former[name] else { return false }
        return cursors.allSatisfy { container, cursor in cursor <= (ends[container] ?? .zero) }
    }
}

package struct CloudSpace: Hashable, Sendable {
    package let total: UInt64
    package let free: UInt64
    package init(total: UInt64, free: UInt64) {
        self.total = total
        self.free = free
    }
}
