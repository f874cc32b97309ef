import CloudModel
import CloudStorage
import Glibc
import Synchronization

extension CloudDirectory {
    /// See ``CloudBackend/append(_:to:)``. The entry is complete and durable before its name exists; the name is durable before this
    /// returns.
    func append(_ payload: [UInt8], to container: ContainerName) throws(CloudError) -> LogSequence {
        try perform(.writing, in: container) { directory in
            try syncChunks(in: directory)
            let header = try header(.entry, of: payload)
            let sequence = try withTemporaryFile(in: directory, [header, payload], durable: true) { name in
                try place(name, in: container, directory)
            }
            try directory.syncFolder(CloudLayout.logShard(container, CloudLayout.shard(of: sequence)))
            logs.withLock { $0[container, default: LogPosition()].synced(sequence) }
            return LogSequence(sequence)
        }
    }

    /// Links the entry under the first free number. Only one of several concurrent calls of `link(2)` succeeds, so the log has no gaps.
    private func place(_ name: String, in container: ContainerName, _ directory: Descriptor) throws -> UInt64 {
        var next = try end(of: container, in: directory) + 1
        var losses = 0
        while true {
            try openShard(CloudLayout.shard(of: next), in: container, directory)
            if try link(name, to: CloudLayout.entry(container, next), in: directory) { return next }
            losses += 1
            // A writer that is far behind searches for the end instead of trying every number.
            next = losses.isMultiple(of: 64) ? max(next, try scan(container, in: directory)) + 1 : next + 1
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

    /// Returns the last number of the log, or one a little before it.
    private func end(of container: ContainerName, in directory: Descriptor) throws -> UInt64 {
        let known = logs.withLock { $0[container]?.end ?? 0 }
        guard known > 0 else { return try scan(container, in: directory) }
        // Appending after a lost entry would leave a gap that no device could read across.
        guard try directory.isPresent(CloudLayout.entry(container, known)) else {
            throw shortened(container, known, in: directory)
        }
        return known
    }

    /// Returns the error for an entry that existed and is gone.
    func shortened(_ container: ContainerName, _ sequence: UInt64, in directory: Descriptor) -> CloudError {
        absence(in: directory, of: container)
            ?? CloudError(
                .damaged,
                "The log of \(container) in \(root) has lost entry \(sequence). If the cloud was restored from a backup, run `ubiquity reset`."
            )
    }

    /// Finds the end of the log by listing the last shard; 0 if the log is empty.
    private func scan(_ container: ContainerName, in directory: Descriptor) throws -> UInt64 {
        let shards = try directory.names(in: CloudLayout.log(container)).compactMap(CloudLayout.number)
        // The last may still be empty: it is made before its first entry.
        for shard in shards.sorted(by: >) {
            let entries = try directory.names(in: CloudLayout.logShard(container, shard))
            if let last = entries.compactMap(CloudLayout.number).max() { return last }
        }
        return 0
    }

    /// Makes the shard. An entry in it must not outlive earlier ones in a power cut. So this first syncs the names in the previous shard,
    /// which is full, and the name of this shard, because the process that made it may have crashed before it synced it.
    private func openShard(_ shard: UInt64, in container: ContainerName, _ directory: Descriptor) throws {
        if let known = logs.withLock({ $0[container]?.shard }), known >= shard { return }
        try directory.makeDirectory(CloudLayout.logShard(container, shard))
        try directory.syncFolder(CloudLayout.log(container))
        if shard > 0 { try directory.syncFolder(CloudLayout.logShard(container, shard - 1)) }
        logs.withLock { $0[container, default: LogPosition()].opened(shard) }
    }
}
