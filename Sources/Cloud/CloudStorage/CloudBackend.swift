import Basics
package import CloudModel

/// A cloud: anything that can order appends and store bytes. It does not interpret logs; payloads are opaque.
///
/// Every method is idempotent, and throws only ``CloudError`` and `CancellationError`. An ability that only some clouds have is a protocol
/// of its own that refines this one: ``ChangeNotifying``, ``ChunkBatching``, ``ChunkCollecting``, ``ChunkReading``, ``HistoryJoining``,
/// ``LinkPublishing``, ``RemoteResettable``, ``UseReporting``, ``WorkDeferring``. A caller gets it from ``facet(_:)``, and
/// ``CloudDecorator`` forwards it.
package protocol CloudBackend: Sendable {
    /// Opens the cloud, and makes it if `create` is set and there is none. Without `create`, an absent cloud is `offline`, never an empty
    /// one.
    ///
    /// - Returns: The cloud's identity. A device that has synced with one identity follows another only if its logs have the positions that
    ///   the device has read to.
    func connect(create: Bool) async throws -> CloudIdentity

    func containers() async throws -> [ContainerName]
    /// Makes a container; does nothing if it exists.
    func createContainer(_ name: ContainerName) async throws

    /// Appends one entry to a log. On return the entry and every chunk put before it are durable. After an error that leaves the outcome
    /// open, the caller appends the same payload again: the reducer ignores repeats.
    ///
    /// - Parameter position: The last entry that the caller has read. The log may have further ones.
    /// - Throws: `diverged` if the log does not have this position. `damaged` if such a chunk was lost on its way: the caller then connects
    ///   again, reads on, queries ``missing(_:in:)`` for all chunks that the payload names, and puts those before it retries.
    func append(
        _ payload: [UInt8], to container: ContainerName, after position: LogPosition
    ) async throws -> LogSequence
    /// Returns at most `limit` entries after a position, in order and without gaps; none at the end of the log. With the limit 0 the call
    /// only asks whether the log has the position.
    ///
    /// - Throws: `diverged` if the log does not have this position, or an entry does not follow the one before it.
    func entries(in container: ContainerName, after position: LogPosition, limit: Int) async throws -> [LogRecord]

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

package struct CloudSpace: Hashable, Sendable {
    package let total: UInt64
    package let free: UInt64
    package init(total: UInt64, free: UInt64) {
        self.total = total
        self.free = free
    }
}
