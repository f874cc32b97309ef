import Chunking
import CloudModel
import CloudStorage

/// A cloud that answers at once: a log and the contents it names.
final class SimulatedCloud {
    private(set) var log: [[UInt8]] = []
    private(set) var contents: [ContentReference: [UInt8]] = [:]

    func append(_ payload: [UInt8]) { log.append(payload) }

    func entry(after sequence: LogSequence) -> LogRecord? {
        guard sequence.value < UInt64(log.count) else { return nil }
        return LogRecord(sequence: sequence.next, payload: log[Int(sequence.value)])
    }

    /// Keeps the bytes of a content of one chunk and answers its name.
    func store(_ bytes: [UInt8]) -> ContentReference {
        let manifest = Manifest(bytes.isEmpty ? [] : [ChunkEntry(id: .of(bytes), length: bytes.count)])
        contents[manifest.reference] = bytes
        return manifest.reference
    }
}
