import Basics
import CloudModel
import CloudStorage
import Cryptography
import Logging
import Synchronization

/// Finds entries of a different history in the middle of a log.
extension CloudDirectory {
    /// Checks that the entries up to a position follow each other, in shards whose folders changed since their last check.
    ///
    /// - Parameter isWhole: Whether all such shards are checked immediately; otherwise at most one is, and none soon after
    ///   its last check.
    /// - Throws: `diverged` if an entry does not follow its predecessor.
    func checkChain(
        upTo position: LogPosition, of container: ContainerName, isWhole: Bool, in directory: Descriptor
    ) throws {
        let end = position.sequence.value
        guard end > 0 else { return }
        for shard in 0...CloudLayout.shard(of: end) {
            let first = max(1, shard * CloudLayout.entriesPerShard)
            let last = min(end, (shard + 1) * CloudLayout.entriesPerShard - 1)
            guard let status = try directory.statusIfPresent(CloudLayout.logShard(container, shard)) else {
                throw shortened(container, first, in: directory)
            }
            let (folder, now) = (FileKey(status), time.now())
            let isDue = checks.withLock {
                $0[container, default: CheckedShards()].isDue(shard, folder, upTo: last, isUrgent: isWhole, at: now)
            }
            guard isDue else { continue }
            do {
                try check(first...last, of: container, in: directory)
            } catch let error as CloudError where error.code == .damaged && !isWhole {
                // This device has read the entry, and goes on; devices that join name the file.
                logger.error("an earlier entry of the log is damaged", metadata: ["why": "\(error)"])
            }
            checks.withLock { $0[container, default: CheckedShards()].note(shard, folder, upTo: last, at: now) }
            guard isWhole else { return }
        }
    }

    private func check(
        _ numbers: ClosedRange<UInt64>, of container: ContainerName, in directory: Descriptor
    ) throws {
        guard var before = try digest(upTo: numbers.lowerBound - 1, of: container, in: directory) else {
            throw shortened(container, numbers.lowerBound - 1, in: directory)
        }
        for number in numbers {
            guard let (frame, payload) = try readEntry(number, in: container, directory) else {
                throw shortened(container, number, in: directory)
            }
            guard before.chained(payload) == frame.digest else {
                throw CloudError.twoHistories(from: number, of: container, at: root)
            }
            before = frame.digest
        }
    }
}
