import Basics
package import CloudModel

/// A cloud: anything that can order appends and keep bytes. What a log means is not its business; payloads are opaque.
///
/// Every call may throw ``CloudError`` and nothing else but `CancellationError`. All are safe to repeat.
package protocol CloudBackend: Sendable {
    var capabilities: CloudCapabilities { get }

    /// Opens the cloud, and creates it when `create` is set and there is none. Without `create` an absent cloud is `offline`, never an empty one.
    ///
    /// - Returns: Its identity. A device that has synced with one identity refuses another that does not continue it
    ///   (``CloudIdentity/continues(_:readTo:)``).
    func connect(create: Bool) async throws -> CloudIdentity

    func containers() async throws -> [ContainerName]
    /// Makes the container; no error when it is there.
    func createContainer(_ name: ContainerName) async throws

    /// Adds one entry behind all others. On return it and every chunk put before it are durable. After an error that leaves the
    /// outcome open the caller appends the same payload again: the reducer ignores repeats.
    /// Throws `damaged` when such a chunk was lost on its way, or the log is shorter than it was: connect again, read on, ask
    /// ``missing(_:in:)`` for all chunks the payload names and put them before the next try.
    func append(_ payload: [UInt8], to container: ContainerName) async throws -> LogSequence
    /// Entries behind `sequence` in order without gaps, at most `limit`; empty at the end of the log.
    /// Throws `damaged` when the log ends before `sequence`.
    func entries(in container: ContainerName, after sequence: LogSequence, limit: Int) async throws -> [LogRecord]

    /// Which of these chunks are not there yet. The next append makes the others durable, as if they were put by the caller.
    func missing(_ chunks: [ChunkID], in container: ContainerName) async throws -> Set<ChunkID>
    /// Keeps a chunk's frame (``Chunking`` makes and verifies frames). Overwrites nothing: a chunk's name says its bytes.
    func putChunk(_ id: ChunkID, frame: [UInt8], in container: ContainerName) async throws
    /// The same of several, which should be small: a backend that is far away sends them together. All or some are kept after an error.
    func putChunks(_ chunks: [ChunkToPut], in container: ContainerName) async throws
    /// Marks chunks as corrupt: a reader found bytes that their names do not match. Until they are put again they count as missing, and
    /// ``putChunk(_:frame:in:)`` overwrites them.
    func distrust(_ chunks: Set<ChunkID>, in container: ContainerName) async throws
    /// The whole frame; `notFound` when there is none.
    func getChunk(_ id: ChunkID, in container: ContainerName) async throws -> [UInt8]

    /// Hints that something may be new, from now on. Ends when its consumer stops; survives a cloud that goes and comes back.
    func events() -> AsyncStream<CloudEvent>

    /// Bytes the cloud has in all and free, for `df`; nil where it has no limit.
    func space() async throws -> CloudSpace?
}

extension CloudBackend {
    /// One after the other.
    package func putChunks(_ chunks: [ChunkToPut], in container: ContainerName) async throws {
        for chunk in chunks { try await putChunk(chunk.id, frame: chunk.frame, in: container) }
    }
}

/// A chunk with its frame.
package struct ChunkToPut: Hashable, Sendable {
    package let id: ChunkID
    package let frame: [UInt8]
    package init(id: ChunkID, frame: [UInt8]) {
        self.id = id
        self.frame = frame
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

package enum CloudEvent: Hashable, Sendable {
    case containerChanged(ContainerName)
    case containersChanged
    /// The cloud went away or came back: try again now instead of at the end of the back-off.
    case reachabilityChanged
}

/// Which cloud this is, whatever way leads to it.
package struct CloudIdentity: Hashable, Sendable {
    package let text: String
    /// What the cloud was called before it was restored from a backup or lost a container, each with how many entries of each log of
    /// that time are still there.
    package let former: [String: [ContainerName: LogSequence]]

    package init(_ text: String, former: [String: [ContainerName: LogSequence]] = [:]) {
        self.text = text
        self.former = former
    }

    /// Whether a device that knows this cloud by `name`, and has read its logs so far, may go on: nothing that it saw is gone.
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

/// What a backend can do beyond the contract.
package struct CloudCapabilities: OptionSet, Sendable {
    package let rawValue: UInt32
    package init(rawValue: UInt32) { self.rawValue = rawValue }
    /// ``CloudBackend/events()`` reports every change; otherwise callers poll.
    package static let push = CloudCapabilities(rawValue: 1 << 0)
    /// ``CloudBackend/putChunks(_:in:)`` sends its chunks together, which costs less than one by one.
    package static let manyChunks = CloudCapabilities(rawValue: 1 << 1)
    /// It serves documents to anybody who has a link: ``CloudBackend/publish(_:)`` and what goes with it.
    package static let links = CloudCapabilities(rawValue: 1 << 2)
}
