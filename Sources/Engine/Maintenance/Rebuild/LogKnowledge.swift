package import Basics
package import CloudModel
package import CloudStorage
package import ContainerLog

/// The items ever named by a cloud's logs, and the contents of each. Pure; the caller passes the entries.
///
/// Counts the changes as sent by devices, before the rules apply: bytes once sent are in the cloud's history. An entry
/// with a number already used by its device is void, as in a fold. An entry that changes packages may have been
/// refused.
package struct LogKnowledge: Sendable {
    private struct Sent: Hashable {
        let item: ItemID
        let digest: Digest
    }

    private var items: Set<ItemID> = []
    private var sent: Set<Sent> = []
    /// Contents in possibly refused entries.
    private var doubtful: Set<Sent> = []
    /// The newest number of each device's entries in each container.
    private var numbers: [ContainerName: [DeviceID: UInt64]] = [:]
    private var places: [Digest: ContainerName] = [:]
    /// The time of the latest write of each key.
    private var writes: [ContainerName: [String: Timestamp]] = [:]

    package init() {}

    package mutating func add(_ batch: ChangeBatch, in container: ContainerName) {
        guard batch.deviceSequence > numbers[container]?[batch.device] ?? 0 else { return }
        numbers[container, default: [:]][batch.device] = batch.deviceSequence
        for change in batch.changes {
            switch change {
            case .create(let id, _, _, _, let body):
                items.insert(id)
                if let digest = body.content?.reference?.digest { add(digest, of: id, batch, in: container) }
            case .edit(let id, _, let content, _):
                if let digest = content.reference?.digest { add(digest, of: id, batch, in: container) }
            case .setValue(let key, _, let time):
                writes[container, default: [:]][key] = max(time, writes[container]?[key] ?? time)
            case .move, .setAttributes, .delete, .resolve, .collection, .raiseRules: break
            }
        }
    }

    private mutating func add(_ digest: Digest, of id: ItemID, _ batch: ChangeBatch, in container: ContainerName) {
        if batch.packages.isEmpty {
            sent.insert(Sent(item: id, digest: digest))
        } else {
            doubtful.insert(Sent(item: id, digest: digest))
        }
        places[digest] = container
    }

    /// Returns whether the log, or every container, has an item of that id.
    package func knows(_ id: ItemID) -> Bool { id.isWellKnown || items.contains(id) }

    /// Returns whether the log says that this item has, or had, this content.
    ///
    /// - Parameter isAgreed: Whether the device knows that the log accepted it, so that a possibly refused entry
    ///   counts.
    package func knows(_ digest: Digest, of id: ItemID, isAgreed: Bool) -> Bool {
        let content = Sent(item: id, digest: digest)
        return sent.contains(content) || isAgreed && doubtful.contains(content)
    }

    /// Returns whether any item has, or had, this content.
    package func knows(_ digest: Digest) -> Bool { places[digest] != nil }

    /// Returns whether the log has a write of the key at or after that time.
    package func hasWrite(of key: String, in container: ContainerName, since time: Timestamp) -> Bool {
        writes[container]?[key].map { $0 >= time } ?? false
    }

    /// Returns a container whose log names this content.
    package func container(of digest: Digest) -> ContainerName? { places[digest] }
}

extension LogKnowledge {
    /// Reads every log of the cloud. Unreadable entries are reported to `onDamage` and skipped: contents named only
    /// there count as not sent. Throws ``CloudError`` if the cloud cannot be read, ``LogError`` if it is newer than
    /// this program.
    package static func gather(
        from backend: any CloudBackend, onDamage: (ContainerName, LogSequence, String) -> Void
    ) async throws -> LogKnowledge {
        var knowledge = LogKnowledge()
        for container in try await backend.containers() {
            var reader = LogReader(backend, container)
            while let entry = try await reader.next() {
                switch entry.content {
                case .batch(let batch): knowledge.add(batch, in: container)
                case .damaged(let why): onDamage(container, entry.sequence, why)
                }
            }
        }
        return knowledge
    }
}
