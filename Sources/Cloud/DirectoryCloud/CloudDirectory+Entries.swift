import CloudModel
import CloudStorage
import Cryptography
import Glibc
import Synchronization

extension CloudDirectory {
    /// The approximate upper bound of the bytes returned per call; a call returns at least one entry.
    static let maximumBatch = 16 << 20

    /// See ``CloudBackend/entries(in:after:limit:)``.
    func entries(
        in container: ContainerName, after position: LogPosition, limit: Int
    ) throws(CloudError) -> [LogRecord] {
        try perform(.reading, in: container) { directory in
            var records: [LogRecord] = []
            var size = 0
            var last = position
            while records.count < limit, size < Self.maximumBatch, last.sequence.value < UInt64(Int64.max) {
                guard let record = try readEntry(after: last, in: container, directory) else { break }
                records.append(record)
                size += record.payload.count
                last = record.position
            }
            if records.isEmpty {
                try confirmEnd(position, of: container, in: directory)
                try checkChain(upTo: position, of: container, isWhole: limit == 0, in: directory)
            } else {
                try settle(position.sequence.next.value...last.sequence.value, in: container, directory)
            }
            return records
        }
    }

    /// Returns the entry after a position; nil if there is none (yet).
    private func readEntry(
        after last: LogPosition, in container: ContainerName, _ directory: Descriptor
    ) throws -> LogRecord? {
        let number = last.sequence.next.value
        guard let (frame, payload) = try readEntry(number, in: container, directory) else { return nil }
        guard last.digest.map({ $0.chained(payload) == frame.digest }) ?? true else {
            // Either the cloud no longer has the entries up to this position, or it has them, followed by a second
            // history.
            try confirm(last, of: container, in: directory)
            throw CloudError.twoHistories(from: number, of: container, at: root)
        }
        return LogRecord(LogPosition(last.sequence.next, frame.digest), payload)
    }

    func readEntry(
        _ number: UInt64, in container: ContainerName, _ directory: Descriptor
    ) throws -> (frame: StoredFrame, payload: [UInt8])? {
        let path = CloudLayout.entry(container, number)
        if let entry = try readFrame(.entry, at: path, in: directory) { return entry }
        guard try directory.isPresent(CloudLayout.entry(container, number + 1)) else { return nil }
        // Both may have been appended since the first read; only now does an absent earlier entry mean a gap.
        if let entry = try readFrame(.entry, at: path, in: directory) { return entry }
        throw shortened(container, number, in: directory)
    }

    /// Makes the names of entries durable before anything depends on them. Their writer may not have synced them yet,
    /// and a device that has read past the log's end after a power cut could not continue.
    private func settle(_ range: ClosedRange<UInt64>, in container: ContainerName, _ directory: Descriptor) throws {
        let durable = logs.withLock { $0[container]?.durable ?? 0 }
        guard range.upperBound > durable else { return }
        let first = CloudLayout.shard(of: max(range.lowerBound, durable + 1))
        for shard in first...CloudLayout.shard(of: range.upperBound) {
            try directory.syncFolder(CloudLayout.logShard(container, shard))
        }
        logs.withLock { $0[container, default: KnownEnd()].synced(range.upperBound) }
    }

    /// Distinguishes the end of the log from a shortened or replaced log.
    private func confirmEnd(_ position: LogPosition, of container: ContainerName, in directory: Descriptor) throws {
        if let error = absence(in: directory, of: container) { throw error }
        try confirm(position, of: container, in: directory)
        let known = logs.withLock { $0[container]?.end ?? 0 }
        if known > position.sequence.value, try !directory.isPresent(CloudLayout.entry(container, known)) {
            throw shortened(container, known, in: directory)
        }
    }

    /// Throws `diverged` if the log does not have this position.
    func confirm(_ position: LogPosition, of container: ContainerName, in directory: Descriptor) throws {
        let number = position.sequence.value
        guard let found = try digest(upTo: number, of: container, in: directory) else {
            throw shortened(container, number, in: directory)
        }
        guard found == position.digest ?? found else {
            throw CloudError.otherHistory(at: number, of: container, at: root)
        }
    }
}
