package import Basics
import CloudModel
import Glibc
package import LocalContent
package import LocalMetadata
package import Logging

/// The first step of a start, before any request is served: finds edits in progress when the process ended.
package struct Recovery: Sendable {
    let metadata: MetadataDatabase
    let content: ContentStore
    private let time: any TimeSource
    let log: Logger

    package init(metadata: MetadataDatabase, content: ContentStore, time: any TimeSource, log: Logger) {
        self.metadata = metadata
        self.content = content
        self.time = time
        self.log = log
    }

    /// Examines files open for writing, and edits not in the cloud yet. Idempotent.
    package func run() throws {
        let items = try metadata.read { try $0.transfers.writing() } + torn()
        guard !items.isEmpty else { return }
        try metadata.write(.freeing) { transaction in
            for item in items { try recover(item, transaction) }
        }
        try metadata.makeDurable()
        log.notice("recovered files that were being written or lost bytes", metadata: ["count": "\(items.count)"])
    }

    /// Returns edits that were closed but not synced at a power failure: the row may have outlived its bytes, or be
    /// older than them.
    private func torn() throws -> [LocalItem] {
        var found: [LocalItem] = []
        var last: LocalItem?
        while case let page = try metadata.read({ try $0.transfers.edited(after: last, limit: 500) }),
            let end = page.last
        {
            last = end
            found += try page.filter(isBehind)
        }
        return found
    }

    func recover(_ item: LocalItem, _ transaction: MetadataTransaction) throws {
        var row = item
        row.isWriting = false
        if let blob = try status(of: item.blob) {
            let isWritten = differs(blob, from: item)
            // A placeholder open for writing was incomplete: its blob has a part of a download.
            if item.presence == .whole, isWritten || item.isEdited {
                row.isEdited = true
                row.content = nil
                row.size = blob.size
                if isWritten { row.attributes.modified = blob.modified }
            }
            if item.isWriting { try content.unrecordedAttributes(of: item.blob)?.apply(to: &row, blob) }
        } else {
            try lost(&row)
        }
        if row.isEdited, !row.isExcluded { row.pendingSince = time.now() }
        try transaction.local.update(row)
    }

    /// Returns whether an edited file's row differs from the blob's bytes.
    func isBehind(_ item: LocalItem) throws -> Bool {
        guard let blob = try status(of: item.blob) else { return item.uploadError == nil }
        return differs(blob, from: item)
    }

    /// Returns whether a blob was written since its row was.
    private func differs(_ blob: BlobStatus, from item: LocalItem) -> Bool {
        blob.size != item.size || !content.isTime(item.attributes.modified, of: blob)
    }

    /// Returns the status of a blob; nil if there is no such blob.
    func status(of blob: BlobName) throws -> BlobStatus? {
        do throws(Errno) { return try content.status(blob) } catch {
            guard error.code == ENOENT else { throw error }
            return nil
        }
    }

    /// Handles missing bytes: the file was created and never written, or the disk lost them. Restores the agreed
    /// content, if any.
    private func lost(_ row: inout LocalItem) throws {
        guard row.size > 0 || !row.isEdited else {
            row.generation += 1
            // The upload reads this blob.
            close(try content.create(row.blob))
            return try content.setModified(row.attributes.modified, of: row.blob)
        }
        guard row.content != nil else {
            row.uploadError = "Its bytes were lost on this device before they reached the cloud."
            return
        }
        row.presence = .none
        row.isEdited = false
        row.generation += 1
    }

    /// Removes unreferenced blobs of a process that died between two steps. Runs concurrently with everything else:
    /// only blobs older than this process are examined.
    package func sweep(startedAt: Timestamp, isInUse: (BlobName) -> Bool) throws {
        for shard in try content.existingShards() {
            for blob in try content.blobs(inShard: shard) where !isInUse(blob) {
                let item = try metadata.read { try $0.local.item(NodeID(blob.node)) }
                if let item, item.generation == blob.generation, item.presence != .none { continue }
                guard let status = try? content.status(blob), status.changed < startedAt else { continue }
                // The row may have switched to this blob since it was read.
                let now = try metadata.read { try $0.local.item(NodeID(blob.node)) }
                guard now?.generation != blob.generation || now?.presence == Presence.none else { continue }
                // A row that does not refer to the blob may not be durable yet, and could revert in a power failure.
                try metadata.makeDurable()
                _ = try content.removeLeftover(blob)
            }
        }
    }
}

extension EngineContext {
    /// Removes unreferenced blobs, off the cooperative pool.
    package func blockingSweep(_ recovery: Recovery, _ startedAt: Timestamp, _ downloads: ContentService) async throws {
        try await blocking {
            try recovery.sweep(startedAt: startedAt) { downloads.isActive($0) }
            func isInUse(_ item: LocalItem) -> Bool { downloads.isActive(item.blob) || mounted.isOpen(item.node) }
            try recovery.repairLost(isInUse: isInUse)
            try MismatchedBytes(self).separate(isInUse: isInUse)
        }
    }

    /// Ends the work of ``blockingSweep(_:_:_:)``, or keeps it from beginning: blob names need not be remembered any
    /// longer.
    package func endSweep() { content.endSweep() }
}
