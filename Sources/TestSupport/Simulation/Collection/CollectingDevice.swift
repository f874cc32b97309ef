import Basics
import CloudModel
import CloudStorage
import ContainerLog
import TestSupport

/// A device: a fold of the log, possibly far behind, an uploader and a collector.
final class CollectingDevice {
    let number: UInt64
    let cloud: CollectionCloud
    private(set) var log: FoldedLog
    /// How many hours the device's clock is ahead.
    private var skew = 0
    /// The contents whose bytes are on the device.
    var local: Set<ContentReference> = []
    /// When the device first saw each open collection.
    private(set) var seen: [UInt64: Timestamp] = [:]
    /// The lists read, by the epoch of their collection.
    private var lists: [UInt64: CollectionList] = [:]
    /// The epochs of lists found damaged by this device.
    private var damaged: Set<UInt64> = []
    /// Chunks stored under a lasting key, as of an epoch.
    private var kept: (epoch: UInt64, chunks: Set<ChunkID>) = (0, [])
    private(set) var uploader: SimulatedUploader?
    private(set) var collector: SimulatedCollector?

    init(_ number: UInt64, _ cloud: CollectionCloud) {
        self.number = number
        self.cloud = cloud
        log = FoldedLog(mistake: cloud.plan.mistake)
        uploader = SimulatedUploader(self)
        collector = SimulatedCollector(self)
    }

    /// The time by the device's clock.
    var now: Timestamp { cloud.now.adding(.seconds(skew * 3_600)) }

    /// Breaks the cycle of references.
    func end() { (uploader, collector) = (nil, nil) }

    /// Folds at most that many entries.
    func follow(_ limit: Int = .max) throws {
        var rest = limit
        while rest > 0, log.count < cloud.log.count {
            let batch = cloud.log[log.count]
            let result = try log.fold(batch, at: now)
            uploader?.noteFolded(batch, result)
            collector?.noteFolded(batch)
            rest -= 1
        }
    }

    /// Loses its memory. Its clock may differ afterwards.
    func die(_ random: inout SeededGenerator) {
        skew = random.number(-11..<12)
        cloud.note("device \(number) dies")
        kept = (0, [])
        uploader?.die()
        collector?.die()
    }

    /// Notes and returns when the open collections were first seen.
    func see() -> [UInt64: Timestamp] {
        for collection in log.tree.collections.values where collection.phase != .done {
            if seen[collection.epoch].map({ $0 > now }) ?? true { seen[collection.epoch] = now }
        }
        return seen
    }

    // MARK: Keys

    /// Reads unread lists, and returns the rule for the currently folded epoch.
    func safety(_ random: inout SeededGenerator) -> KeySafety {
        var unread: UInt64 = 0
        let collections = log.tree.collections.values.sorted { $0.epoch < $1.epoch }
        for collection in collections where lists[collection.epoch] == nil {
            if random.chance(3) { damaged.insert(collection.epoch) }
            if !damaged.contains(collection.epoch), cloud.isReadable(collection.list) {
                lists[collection.epoch] = cloud.lists[collection.list.digest]
            } else {
                unread = max(unread, collection.epoch)
            }
        }
        return KeySafety(epoch: log.tree.collectionEpochs().proposed, unread: unread)
    }

    func isKept(_ id: ChunkID, _ safety: KeySafety) -> Bool {
        kept.epoch == safety.epoch && kept.chunks.contains(id)
    }

    /// Notes a chunk with a lasting key.
    func keep(_ id: ChunkID, epoch: UInt64) {
        guard epoch >= kept.epoch else { return }
        if epoch > kept.epoch { kept = (epoch, []) }
        kept.chunks.insert(id)
    }

    /// Returns whether any stored key of a chunk is lasting.
    func isSafe(_ id: ChunkID, _ present: Set<ChunkKey>, _ safety: KeySafety) -> Bool {
        var listed: Set<UInt64> = []
        for (epoch, list) in lists where consults(epoch) {
            for key in present where list.contains(key) { listed.insert(key.epoch) }
        }
        return present.contains { safety.isSafe($0, listed: listed) }
    }

    private func consults(_ epoch: UInt64) -> Bool {
        switch cloud.plan.mistake {
        case .ignoresLists: false
        case .forgetsDoneLists: log.tree.collection(epoch)?.phase != .done
        default: true
        }
    }
}
