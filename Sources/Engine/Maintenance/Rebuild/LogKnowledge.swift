package import Basics
package import CloudModel
package import CloudStorage
package import ContainerLog

/// The items, and the contents of each, that the logs of a cloud have ever named. Pure; the caller passes the entries.
///
/// It uses what the devices sent and not what the rules made of it: bytes that were ever sent are in the cloud's history. An entry whose
/// number its device had used is void, as in a fold. An entry that changes packages may have been refused.
package struct LogKnowledge: Sendable {
    private struct Sent: Hashable {
        let item: ItemID
        let digest: Digest
    }

    private var items: Set<ItemID> = []
    private var sent: Set<Sent> = []
    /// Contents in entries that may have been refused.
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

    /// Returns whether the log has an item of that id, or every container has it.
    package func knows(_ id: ItemID) -> Bool { id.isWellKnown || items.contains(id) }

    /// Returns whether the log says that this item has, or had, this content.
    ///
    /// - Parameter isAgreed: Whether the device knows that the log took it, so that an entry which may have been refused counts.
    package func knows(_ digest: Digest, of id: ItemID, isAgreed: Bool) -> Bool {
        let content = Sent(item: id, digest: digest)
        return sent.contains(content) || isAgreed && doubtful.contains(content)
    }

    /// Returns whether any item has, or had, this content.
    package func knows(_ digest: Digest) -> Bool { places[digest] != nil }

    /// Returns whether the log has a write of the key at that time, or a later one.
    package func hasWrite(of key: String, in container: ContainerName, since time: Timestamp) -> Bool {
        writes[container]?[key].map { $0 >= time } ?? false
    }

    /// Returns a container whose log names this content.
    package func container(of digest: Digest) -> ContainerName? { places[digest] }
}

extension LogKnowledge {
    /// Reads every log of the cloud. Entries that cannot be read are reported to `onDamage` and skipped: contents that only they name count
    /// as not sent. Throws ``CloudError`` where the cloud cannot be read, ``LogError`` where it is newer than this program.
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
