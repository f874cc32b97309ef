import Basics
import CloudModel
import ContainerLog
import Foundation
import LocalMetadata
import Sync

/// A collector's state in the database: the step being sent, and when it first saw a proposal.
extension MetadataTransaction {
    /// Stores a batch with a single collection step, sent like any batch of this device.
    ///
    /// - Returns: Whether the log has this step; nil if it does not have it yet.
    func store(_ step: CollectionStep, in container: ContainerID, _ context: EngineContext) throws -> Bool? {
        let tree = remote(in: container)
        let known = try tree.collection(step.epoch)
        switch step {
        case .proposed(_, let list):
            if let known { return known.list == list }
            guard try tree.collectionEpochs().proposed &+ 1 == step.epoch else { return false }
        case .begun, .done:
            guard let known, known.phase.rawValue < step.phase.rawValue else { return true }
        }
        guard try pending.batch(of: container) == nil else { return nil }
        try send([.collection(step)], in: container, context)
        return nil
    }

    /// Returns when this device first saw that collection; nil if not recorded.
    func firstSeen(_ epoch: UInt64, in container: ContainerID) throws -> Timestamp? {
        guard let text = try setting(Self.key(epoch, container)) else { return nil }
        return Int64(String(decoding: text, as: UTF8.self)).map { Timestamp(nanoseconds: $0) }
    }

    func setFirstSeen(_ time: Timestamp, of epoch: UInt64, in container: ContainerID) throws {
        try setSetting(Self.key(epoch, container), .init("\(time.nanoseconds)".utf8))
    }

    private static func key(_ epoch: UInt64, _ container: ContainerID) -> String {
        "collection \(container.value) \(epoch)"
    }
}
