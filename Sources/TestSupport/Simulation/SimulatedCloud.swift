import Basics
import Chunking
import CloudModel
import CloudStorage
import ContainerLog
import TestSupport

/// A cloud replying immediately: a log and the frames of its chunks. It makes the mistake `bug`.
final class SimulatedCloud {
    private(set) var entries = MemoryLog()
    /// The contents stored, for checks.
    private(set) var contents: [ContentReference: [UInt8]] = [:]
    private var frames: [ContentReference: [UInt8]] = [:]
    /// All contents ever stored, including those lost when the cloud was put back.
    private(set) var formerContents: [ContentReference: [UInt8]] = [:]
    /// Contents whose frames are returned with wrong bytes.
    private var damaged: Set<ContentReference> = []
    /// The number of uploaded contents, known contents included.
    private(set) var stores = 0
    /// How often a copy of it was put back.
    private(set) var puts = 0
    let bug: SeededBug?
    /// The newest content of each item, as seen by a cloud without comparisons.
    private var newest: [ItemID: Digest] = [:]
    private var renumbered: UInt64 = 1 << 20

    init(bug: SeededBug?) { self.bug = bug }

    var log: [[UInt8]] { entries.records.map(\.payload) }
    var length: Int { entries.records.count }

    /// Appends an entry for a device that has read to `position`.
    ///
    /// - Throws: `diverged` if the log does not have the position, `damaged` if the entry names contents missing from
    ///   the cloud.
    /// - Parameter position: nil for a batch delivered late by the network, regardless of the log's end.
    func append(_ payload: [UInt8], after position: LogPosition? = nil) throws(CloudError) {
        if let position { try require(position) }
        guard missing(in: payload).isEmpty else { throw CloudError(.damaged, "The entry names bytes that are gone.") }
        entries.append(tampered(payload))
    }

    /// Returns an entry's contents missing from the cloud.
    func missing(in payload: [UInt8]) -> [ContentReference] {
        decoded(payload)?.contents.filter { $0.size > 0 && contents[$0] == nil } ?? []
    }

    private func require(_ position: LogPosition) throws(CloudError) {
        // A program comparing numbers only.
        let known = bug == .numbersOnly ? LogPosition(position.sequence, nil) : position
        _ = try entries.entries(after: known, of: .cloudDocs)
    }

    /// Returns the next entry for device number `reader`.
    ///
    /// - Throws: `diverged` if the log does not have the position.
    func entry(after position: LogPosition, for reader: Int) throws(CloudError) -> LogRecord? {
        try require(position)
        let sequence = position.sequence
        var index = Int(sequence.value)
        guard index < length, let next = entries.position(sequence.next) else { return nil }
        if bug == .twoOrders, reader == 1 {
            // Pairs of entries in the wrong order.
            index = index % 2 == 1 ? index - 1 : min(index + 1, length - 1)
        }
        var payload = entries.records[index].payload
        if bug == .skippedChange, reader == 1, index > 2, index % 3 == 0, var batch = decoded(payload) {
            batch.changes.removeFirst()
            payload = encoded(batch) ?? payload
        }
        return LogRecord(next, payload)
    }

    // MARK: Copies

    /// The state of a cloud.
    struct Copy: Sendable {
        let entries: MemoryLog
        let contents: [ContentReference: [UInt8]]
        let frames: [ContentReference: [UInt8]]

        /// Returns a cloud in this state, for parts of the engine that wait for their cloud.
        func backend() async throws -> InMemoryBackend {
            let backend = InMemoryBackend()
            try await backend.createContainer(.cloudDocs)
            var position = LogPosition.start
            for record in entries.records {
                _ = try await backend.append(record.payload, to: .cloudDocs, after: position)
                position = record.position
            }
            for (reference, frame) in frames where reference.size > 0 {
                try await backend.putChunk(reference.digest, frame: frame, in: .cloudDocs)
            }
            return backend
        }
    }

    func copy() -> Copy { Copy(entries: entries, contents: contents, frames: frames) }

    /// Replaces the log and the contents by those of a copy.
    func putBack(_ copy: Copy) {
        (entries, contents, frames) = (copy.entries, copy.contents, copy.frames)
        damaged = []
        puts += 1
    }

    /// The contents lost when the cloud was put back, in no order.
    var lostContents: [ContentReference] { formerContents.keys.filter { $0.size > 0 && contents[$0] == nil } }

    /// Stores a content again that a device still had.
    func restore(_ reference: ContentReference) {
        guard let bytes = formerContents[reference] else { return }
        contents[reference] = bytes
        frames[reference] = ChunkFrame.encode(bytes)
    }

    // MARK: Contents, of one chunk each

    static func name(of bytes: [UInt8]) -> ContentReference {
        Manifest(bytes.isEmpty ? [] : [ChunkEntry(id: .of(bytes), length: bytes.count)]).reference
    }

    /// Stores the bytes of a content and returns its reference.
    func store(_ bytes: [UInt8]) -> ContentReference {
        let name = Self.name(of: bytes)
        let kept = bug == .tornUpload && bytes.count > 6 ? Array(bytes.dropLast()) : bytes
        contents[name] = kept
        formerContents[name] = kept
        frames[name] = ChunkFrame.encode(kept)
        stores += 1
        return name
    }

    /// Returns the bytes of a content as a device gets them: checked against their name. Nil if the cloud never had them.
    func fetch(_ reference: ContentReference) throws(ChunkError) -> [UInt8]? {
        guard reference.size > 0 else { return [] }
        guard var frame = frames[reference] else { return contents[reference] }
        if damaged.contains(reference) { frame[frame.count - 1] ^= 0x20 }
        guard bug != .tornUpload else { return contents[reference] }
        return try ChunkFrame.decode(frame, expecting: reference.digest)
    }

    /// Damages a content from now on and returns its bytes.
    func damage(_ pick: ([ContentReference]) -> ContentReference?) -> [UInt8]? {
        let whole = contents.keys.filter { $0.size > 0 && !damaged.contains($0) }
        guard let reference = pick(whole.sorted { $0.digest.description < $1.digest.description }) else { return nil }
        damaged.insert(reference)
        return contents[reference]
    }

    func repair() { damaged = [] }

    // MARK: Mistakes

    private func decoded(_ payload: [UInt8]) -> ChangeBatch? { try? ChangeBatch(decoding: payload) }
    private func encoded(_ batch: ChangeBatch) -> [UInt8]? { try? batch.encoded() }

    private func tampered(_ payload: [UInt8]) -> [UInt8] {
        guard let bug, var batch = decoded(payload) else { return payload }
        switch bug {
        case .lastWriterWins, .deleteBeatsEdit: batch.changes = batch.changes.map { rebased($0, bug) }
        case .noTombstones: batch.changes.removeAll { if case .delete = $0 { true } else { false } }
        case .mixedPackages: batch.packages = []
        case .earlierKeyWins: batch.changes = batch.changes.map(aged)
        case .repeatIsNew where log.contains(payload):
            renumbered += 1
            batch.deviceSequence = renumbered
        default: return payload
        }
        return encoded(batch) ?? payload
    }

    /// Returns the change with a reversed time: the later a key was written, the older the write looks.
    private func aged(_ change: Change) -> Change {
        guard case .setValue(let key, let value, let time) = change else { return change }
        return .setValue(key: key, value: value, time: Timestamp(nanoseconds: -time.nanoseconds))
    }

    private func rebased(_ change: Change, _ bug: SeededBug) -> Change {
        switch change {
        case .create(let id, _, _, _, let body):
            newest[id] = body.content?.reference?.digest
        case .edit(let id, let base, let content, let modified):
            defer { newest[id] = content.reference?.digest }
            return bug == .lastWriterWins
                ? .edit(id, base: newest[id] ?? base, content: content, modified: modified) : change
        case .delete(let id, let base):
            return bug == .deleteBeatsEdit ? .delete(id, base: newest[id] ?? base) : change
        default: break
        }
        return change
    }
}
