import Basics
import Chunking
import CloudModel
import CloudStorage
import ContainerLog
import TestSupport

/// A cloud that replies at once: a log and the frames of the chunks that it names. It makes the mistake that `bug` names.
final class SimulatedCloud {
    private(set) var entries = MemoryLog()
    /// The contents that were stored, for checks.
    private(set) var contents: [ContentReference: [UInt8]] = [:]
    private var frames: [ContentReference: [UInt8]] = [:]
    /// Contents whose frames are returned with wrong bytes.
    private var damaged: Set<ContentReference> = []
    /// How many contents were uploaded, known ones included.
    private(set) var stores = 0
    let bug: SeededBug?
    /// The newest content of each item, as seen by a cloud that compares nothing.
    private var newest: [ItemID: Digest] = [:]
    private var renumbered: UInt64 = 1 << 20

    init(bug: SeededBug?) { self.bug = bug }

    var log: [[UInt8]] { entries.records.map(\.payload) }
    var length: Int { entries.records.count }

    func append(_ payload: [UInt8]) { entries.append(tampered(payload)) }

    /// Returns the entry that device number `reader` sees next.
    func entry(after sequence: LogSequence, for reader: Int) -> LogRecord? {
        var index = Int(sequence.value)
        guard index < length else { return nil }
        if bug == .twoOrders, reader == 1 {
            // Pairs of entries in the wrong order.
            index = index % 2 == 1 ? index - 1 : min(index + 1, length - 1)
        }
        var payload = entries.records[index].payload
        if bug == .skippedChange, reader == 1, index > 2, index % 3 == 0, var batch = decoded(payload) {
            batch.changes.removeFirst()
            payload = encoded(batch) ?? payload
        }
        return LogRecord(LogPosition(sequence.next, entries.records[index].position.digest), payload)
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
        frames[name] = ChunkFrame.encode(kept)
        stores += 1
        return name
    }

    /// Returns the bytes of a content as a device gets them: checked against their name. Nil if the cloud never had them.
    func fetch(_ reference: ContentReference) throws(ChunkError) -> [UInt8]? {
        guard reference.size > 0, var frame = frames[reference] else { return contents[reference] }
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
