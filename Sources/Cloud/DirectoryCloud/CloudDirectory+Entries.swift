import CloudModel
import CloudStorage
import Glibc
import Synchronization

extension CloudDirectory {
    /// The approximate upper bound of the bytes that one call returns; it returns at least one entry.
    static let maximumBatch = 16 << 20

    /// See ``CloudBackend/entries(in:after:limit:)``.
    func entries(
        in container: ContainerName, after sequence: LogSequence, limit: Int
    ) throws(CloudError) -> [LogRecord] {
        try perform(.reading, in: container) { directory in
            var records: [LogRecord] = []
            var size = 0
            var next = sequence
            while records.count < limit, size < Self.maximumBatch, next.value < UInt64(Int64.max) {
                next = next.next
                guard let payload = try readEntry(next.value, in: container, directory) else { break }
                records.append(LogRecord(sequence: next, payload: payload))
                size += payload.count
            }
            if let last = records.last {
                try settle(sequence.next.value...last.sequence.value, in: container, directory)
            } else {
                try confirmEnd(sequence.value, of: container, in: directory)
            }
            return records
        }
    }

    /// Returns an entry's payload; nil if there is no such entry (yet).
    private func readEntry(_ number: UInt64, in container: ContainerName, _ directory: Descriptor) throws -> [UInt8]? {
        let path = CloudLayout.entry(container, number)
        if let payload = try readFrame(.entry, at: path, in: directory) { return payload }
        guard try directory.isPresent(CloudLayout.entry(container, number + 1)) else { return nil }
        // Both may have been appended since the first read; only now is the absence of the earlier one a gap.
        if let payload = try readFrame(.entry, at: path, in: directory) { return payload }
        throw shortened(container, number, in: directory)
    }

    /// Makes the names of entries durable before anything depends on them. Their writer may not have synced them yet, and a device that has
    /// read further than the log reaches after a power cut could not continue.
    private func settle(_ range: ClosedRange<UInt64>, in container: ContainerName, _ directory: Descriptor) throws {
        let durable = logs.withLock { $0[container]?.durable ?? 0 }
        guard range.upperBound > durable else { return }
        let first = CloudLayout.shard(of: max(range.lowerBound, durable + 1))
        for shard in first...CloudLayout.shard(of: range.upperBound) {
            try directory.syncFolder(CloudLayout.logShard(container, shard))
        }
        logs.withLock { $0[container, default: LogPosition()].synced(range.upperBound) }
    }

    /// Distinguishes the end of the log from a log that is shorter than it was.
    private func confirmEnd(_ sequence: UInt64, of container: ContainerName, in directory: Descriptor) throws {
        if let error = absence(in: directory, of: container) { throw error }
        let known = max(sequence, logs.withLock { $0[container]?.end ?? 0 })
        if known > 0, try !directory.isPresent(CloudLayout.entry(container, known)) {
            throw shortened(container, known, in: directory)
        }
    }
}
