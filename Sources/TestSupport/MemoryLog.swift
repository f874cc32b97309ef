package import CloudModel
package import CloudStorage
import Cryptography

/// A log in memory.
package struct MemoryLog: Sendable {
    package private(set) var records: [LogRecord] = []

    package init() {}

    package var end: LogPosition { records.last?.position ?? .start }

    package mutating func append(_ payload: [UInt8]) { records.append(LogRecord(end.following(payload), payload)) }

    /// Returns the position with a number; nil if the log ends before.
    package func position(_ sequence: LogSequence) -> LogPosition? {
        guard sequence > .zero else { return .start }
        guard sequence.value <= UInt64(records.count) else { return nil }
        return records[Int(sequence.value) - 1].position
    }

    /// Returns the entries after a position.
    ///
    /// - Throws: `diverged` if the log does not have it.
    package func entries(
        after position: LogPosition, of container: ContainerName
    ) throws(CloudError) -> ArraySlice<LogRecord> {
        guard let known = self.position(position.sequence) else {
            throw .lostEntry(position.sequence.value, of: container, at: "memory")
        }
        guard known.digest == position.digest ?? known.digest else {
            throw .otherHistory(at: position.sequence.value, of: container, at: "memory")
        }
        return records.dropFirst(Int(position.sequence.value))
    }
}
