import Basics
package import CloudModel

/// A cloud: a service that orders appends and stores bytes. It does not interpret logs; payloads are opaque.
///
/// Every method is idempotent, and throws only ``CloudError`` and `CancellationError`. An ability of only some clouds
/// is a separate refinement of this protocol: ``ChangeNotifying``, ``ChunkBatching``, ``ChunkCollecting``,
/// ``ChunkReading``, ``HistoryJoining``, ``LinkPublishing``, ``RemoteResettable``, ``UseReporting``, ``WorkDeferring``.
/// A caller gets it from ``facet(_:)``, and ``CloudDecorator`` forwards it.
package protocol CloudBackend: Sendable {
    /// Opens the cloud, and creates it if `create` is set and it does not exist. Without `create`, an absent cloud is
    /// `offline`, never an empty cloud.
    ///
    /// - Returns: The cloud's identity. A device that has synced with one identity follows a second only if its logs
    ///   have the device's read positions.
    func connect(create: Bool) async throws -> CloudIdentity

    func containers() async throws -> [ContainerName]
    /// Creates a container; does nothing if it exists.
    func createContainer(_ name: ContainerName) async throws

    /// Appends an entry to a log. On return the entry and every chunk put before it are durable. If an error leaves the
    /// outcome open, the caller appends the same payload again: the reducer ignores repeats.
    ///
    /// - Parameter position: The last entry read by the caller. The log may have further ones.
    /// - Throws: `diverged` if the log does not have this position. `damaged` if such a chunk was lost on its way: the
    ///   caller then connects again, reads on, queries ``missing(_:in:)`` for all chunks named by the payload, and puts
    ///   those before retrying.
    func append(
        _ payload: [UInt8], to container: ContainerName, after position: LogPosition
    ) async throws -> LogSequence
    /// Returns at most `limit` entries after a position, in order and without gaps; none at the end of the log. With
    /// the limit 0 the call only checks that the log has the position.
    ///
    /// - Throws: `diverged` if the log does not have this position, or an entry does not follow its predecessor.
    func entries(in container: ContainerName, after position: LogPosition, limit: Int) async throws -> [LogRecord]

    /// Returns the missing chunks among these. The next append makes the rest durable, as if the caller had put them.
    func missing(_ chunks: [ChunkID], in container: ContainerName) async throws -> Set<ChunkID>
    /// Stores a chunk's frame (``Chunking`` creates and verifies frames). Does not overwrite an existing frame: a
    /// chunk's name is the digest of its bytes.
    func putChunk(_ chunk: OutgoingChunk, in container: ContainerName) async throws
    /// Marks chunks as corrupt after a reader found bytes not matching their digest. Until they are put again they
    /// count as missing, and ``putChunk(_:in:)`` overwrites them.
    func distrust(_ chunks: Set<ChunkID>, in container: ContainerName) async throws
    /// - Returns: The whole frame.
    /// - Throws: `notFound` if it does not exist.
    func getChunk(_ id: ChunkID, in container: ContainerName) async throws -> [UInt8]

    /// - Returns: The total and the free bytes of the cloud, for `df`; nil if it has no limit.
    func space() async throws -> CloudSpace?

    /// Returns this cloud as the given facet, an ability beyond the contract; nil if it lacks it.
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
