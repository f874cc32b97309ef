import CloudModel
import CloudStorage
import Cryptography
import Glibc
import Synchronization

extension CloudDirectory {
    /// See ``CloudBackend/append(_:to:after:)``. The entry is complete and durable before its name exists; the name is durable before this
    /// returns.
    func append(
        _ payload: [UInt8], to container: ContainerName, after position: LogPosition
    ) throws(CloudError) -> LogSequence {
        try perform(.writing, in: container) { directory in
            try syncChunks(in: directory)
            try confirm(position, of: container, in: directory)
            let sequence = try place(payload, in: container, directory)
            try directory.syncFolder(CloudLayout.logShard(container, CloudLayout.shard(of: sequence)))
            logs.withLock { $0[container, default: KnownEnd()].synced(sequence) }
            return LogSequence(sequence)
        }
    }

    /// Links the entry under the first free number. Of several concurrent calls of `link(2)` only the first succeeds,
    /// so the log has no gaps.
    private func place(_ payload: [UInt8], in container: ContainerName, _ directory: Descriptor) throws -> UInt64 {
        var last = try end(of: container, in: directory)
        let first = try header(behind: last, payload, in: container, directory)
        return try withTemporaryFile(in: directory, [first, payload], durable: true) { name in
            var losses = 0
            while true {
                try openShard(CloudLayout.shard(of: last + 1), in: container, directory)
                if try link(name, to: CloudLayout.entry(container, last + 1), in: directory) { return last + 1 }
                losses += 1
                // A writer far behind searches for the end instead of trying every number.
                last = losses.isMultiple(of: 64) ? max(last + 1, try scan(container, in: directory)) : last + 1
                try replaceHeader(of: name, header(behind: last, payload, in: container, directory), in: directory)
            }
        }
    }

    /// Returns the header of the entry after entry `last`.
    private func header(
        behind last: UInt64, _ payload: [UInt8], in container: ContainerName, _ directory: Descriptor
    ) throws -> [UInt8] {
        guard let before = try digest(upTo: last, of: container, in: directory) else {
            throw shortened(container, last, in: directory)
        }
        return try header(of: payload) { bytes throws(StoredFrame.Problem) in
            try .entry(bytes, digest: before.chained(bytes))
        }
    }

    private func link(_ name: String, to entry: String, in directory: Descriptor) throws -> Bool {
        do throws(PathError) { return try directory.link(name, to: entry) } catch {
            guard [EPERM, EOPNOTSUPP, ENOSYS].contains(error.code) else { throw error }
            throw CloudError(
                .failed,
                "The file system of \(root) does not support hard links (FAT and exFAT do not). Move the cloud to another disk.",
                cause: error.errno)
        }
    }

    /// Returns the last number of the log, or a slightly earlier number.
    private func end(of container: ContainerName, in directory: Descriptor) throws -> UInt64 {
        let known = logs.withLock { $0[container]?.end ?? 0 }
        guard known > 0 else { return try scan(container, in: directory) }
        // Appending after a lost entry would leave a gap unreadable for all devices.
        guard try directory.isPresent(CloudLayout.entry(container, known)) else {
            throw shortened(container, known, in: directory)
        }
        return known
    }

    /// Returns the error for a lost entry.
    func shortened(_ container: ContainerName, _ sequence: UInt64, in directory: Descriptor) -> CloudError {
        absence(in: directory, of: container) ?? .lostEntry(sequence, of: container, at: root)
    }

    /// Finds the end of the log by listing the last shard; 0 if the log is empty.
    private func scan(_ container: ContainerName, in directory: Descriptor) throws -> UInt64 {
        let shards = try directory.names(in: CloudLayout.log(container)).compactMap(CloudLayout.number)
        // The last shard may still be empty: it is created before its first entry.
        for shard in shards.sorted(by: >) {
            let entries = try directory.names(in: CloudLayout.logShard(container, shard))
            if let last = entries.compactMap(CloudLayout.number).max() { return last }
        }
        return 0
    }

    /// Creates the shard. An entry in it must not outlive earlier ones in a power cut. So this first syncs the names in
    /// the full previous shard, and the name of this shard, because its creator may have crashed before syncing it.
    private func openShard(_ shard: UInt64, in container: ContainerName, _ directory: Descriptor) throws {
        if let known = logs.withLock({ $0[container]?.shard }), known >= shard { return }
        try directory.makeDirectory(CloudLayout.logShard(container, shard))
        try directory.syncFolder(CloudLayout.log(container))
        if shard > 0 { try directory.syncFolder(CloudLayout.logShard(container, shard - 1)) }
        logs.withLock { $0[container, default: KnownEnd()].opened(shard) }
    }
}
