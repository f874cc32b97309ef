import Basics
import Chunking
import CloudModel
import CloudStorage
import ContainerLog
import DeviceSupport
import Glibc
import LocalContent
import LocalMetadata
import Sync
import TestSupport

/// A log without a cloud: the test supplies its entries.
extension KernellessDevice {
    var container: LocalContainer {
        get throws {
            guard let container = try metadata.read({ try $0.container(named: .cloudDocs) }) else {
                throw Errno(ENOENT, "no container")
            }
            return container
        }
    }

    /// Folds remote changes as the next entry.
    func fold(_ changes: Change..., by device: DeviceID = .other) throws { try fold(changes, by: device) }

    func fold(_ changes: [Change], by device: DeviceID = .other) throws {
        try fold(try batch(of: changes, by: device))
    }

    func fold(_ batch: ChangeBatch) throws {
        let payload = try batch.encoded()
        if batch.device == context.device {
            // Created by this device.
            let author = BatchAuthor(device: batch.device, number: batch.deviceSequence)
            let id = try container.id
            try metadata.write { try $0.pending.noteMade(payload, of: author, in: id) }
        }
        try fold(payload: payload)
    }

    func fold(payload: [UInt8]) throws {
        let container = try container
        try LogFollower(context).fold(LogRecord(sequence: container.sequence.next, payload: payload), in: container)
    }

    /// Returns a remote device's next batch, if it had read the log as far as this device.
    func batch(of changes: [Change], by device: DeviceID = .other) throws -> ChangeBatch {
        let id = try container.id
        return try metadata.read { transaction in
            let tree = transaction.remote(in: id)
            return ChangeBatch(
                device: device, deviceName: "other", deviceSequence: try tree.lastSequence(of: device) + 1,
                time: time.now(), packages: try tree.packages(changedBy: changes), changes: changes)
        }
    }

    /// Returns the batch that the outbox would send now.
    func nextBatch() throws -> ChangeBatch? {
        try Outbox(context).next(in: container).map { try ChangeBatch(decoding: $0.payload) }
    }

    /// Records the bytes of every edit as uploaded.
    func finishUploads() throws {
        let items = try metadata.read {
            try $0.transfers.uploadable(
                before: Timestamp(nanoseconds: .max), sizes: 0...UInt64(Int64.max), limit: 10_000)
        }
        for item in items {
            let candidate = try UploadCandidate(item, in: content)
            let reference = ContentReference.of(try bytes(of: item))
            guard try metadata.write({ try candidate.note(reference, in: content, $0) }) else {
                throw Errno(EAGAIN, "\(item.name) changed")
            }
        }
    }

    /// Uploads, sends and follows until nothing is left, like the loops of an engine with its own cloud.
    func settle() throws {
        try finishUploads()
        try LogFollower(context).followUnsettled(in: container)
        while let batch = try nextBatch() {
            try fold(batch)
            try LogFollower(context).followUnsettled(in: container)
            try finishUploads()
        }
        try finishDownloads()
    }

    /// Replaces old versions with the wanted newer versions, with zeros as bytes because no test reads them.
    func finishDownloads() throws {
        for item in try metadata.read({ try $0.transfers.wanted(limit: 1_000) }) where item.presence == .whole {
            guard let newest = try remote(item.item)?.body.content?.reference else { continue }
            let blob = BlobName(node: item.node.value, generation: item.generation + 1)
            let descriptor = try content.create(blob)
            defer { close(descriptor) }
            try check("ftruncate") { ftruncate(descriptor, off_t(newest.size)) }
            try context.changeTree { transaction, effects in
                var follower = LogFollower(context).follower(transaction, item.container)
                let name = try follower.install(newest, blob: blob, replacing: item)
                if let name, name != blob { try content.rename(blob, to: name) }
                effects = follower.effects
            }
        }
    }

    private func bytes(of item: LocalItem) throws -> [UInt8] {
        let descriptor = try content.open(item.blob)
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: Int(item.size))
        let count = try check("pread") { pread(descriptor, &bytes, bytes.count, 0) }
        return Array(bytes.prefix(count))
    }

    // MARK: The trees

    func remote(_ id: ItemID) throws -> CloudItem? {
        let container = try container.id
        return try metadata.read { try $0.remote(id, in: container) }
    }

    func synced(_ id: ItemID) throws -> CloudItem? {
        let container = try container.id
        return try metadata.read { try $0.synced.item(id, in: container) }
    }

    func local(_ id: ItemID) throws -> LocalItem? {
        let container = try container.id
        return try metadata.read { try $0.local.item(id, in: container) }
    }

    /// All rows of items below the container's folder.
    var rows: [LocalItem] {
        get throws {
            let node = try container.node
            return try metadata.read { transaction in
                var rows: [LocalItem] = []
                if let folder = try transaction.local.item(node) {
                    try transaction.local.forEach(below: folder) { rows.append($0) }
                }
                return rows.sorted { $0.node < $1.node }
            }
        }
    }

    /// Remaining work: waiting changes, a batch in flight, items that could not follow.
    var unrest: [String] {
        get throws {
            let id = try container.id
            return try metadata.read { transaction in
                var found = try transaction.pending.items(before: Timestamp(nanoseconds: .max), limit: 100)
                    .map { "\($0.name) is pending" }
                if try transaction.pending.batch(of: id) != nil { found.append("a batch is on its way") }
                return found + (try transaction.synced.unsettled(in: id, limit: 100)).map { "\($0) is unsettled" }
            }
        }
    }

    /// Returns rows with a place or content different from the log's. A device at rest has none.
    func disagreements(_ comment: String) throws -> [String] {
        let id = try container.id
        return try metadata.read { transaction in
            try rows.filter { !$0.isConflictSibling }.compactMap { row in
                let remote = try transaction.remote(row.item, in: id)
                let parent = try transaction.local.identity(of: row.parent)
                guard let remote, remote.name == row.name || row.item == .root else { return "\(comment): \(row.name)" }
                guard row.item == .root || remote.parent == parent else {
                    return "\(comment): \(row.name) lies elsewhere"
                }
                return remote.body.content?.reference == row.content ? nil : "\(comment): content of \(row.name)"
            }
        }
    }
}
