package import Basics
import CloudModel
import Glibc
package import LocalContent
package import LocalMetadata
package import Logging

/// What a start does before anything answers: finds the edits that were being made when the process ended.
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

    /// Looks at files that were open for writing, and at edits on their way to the cloud. Repeating it changes nothing more.
    package func run() throws {
        let items = try metadata.read { try $0.transfers.writing() } + torn()
        guard !items.isEmpty else { return }
        try metadata.write(.freeing) { transaction in
            for item in items { try recover(item, transaction) }
        }
        try metadata.makeDurable()
        log.notice("looked after files that were being written or lost bytes", metadata: ["count": "\(items.count)"])
    }

    /// Edits that were closed and not synced when the power went: the row may have outlived bytes that it speaks of, or lag behind them.
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
            let isWritten = blob.size != item.size || blob.modified != item.attributes.modified
            // A placeholder that a program opened to write was not whole: what is in its blob is a part of a download.
            if item.presence == .whole, isWritten || item.isEdited {
                row.isEdited = true
                row.content = nil
                row.size = blob.size
                row.attributes.modified = blob.modified
            }
        } else {
            try lost(&row)
        }
        if row.isEdited, !row.isExcluded { row.pendingSince = time.now() }
        try transaction.local.update(row)
    }

    /// Whether the row of an edited file names other bytes than there are.
    func isBehind(_ item: LocalItem) throws -> Bool {
        guard let blob = try status(of: item.blob) else { return item.size > 0 && item.uploadError == nil }
        return blob.size != item.size || blob.modified != item.attributes.modified
    }

    /// Nil where there is no such blob.
    func status(of blob: BlobName) throws -> BlobStatus? {
        do throws(Errno) { return try content.status(blob) } catch {
            guard error.code == ENOENT else { throw error }
            return nil
        }
    }

    /// There are no bytes: the file was made and never written, or the disk lost them. The agreed content, if any, comes back.
    private func lost(_ row: inout LocalItem) throws {
        guard row.size > 0 || !row.isEdited else {
            row.generation += 1
            // What an upload reads.
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

    /// Removes blobs that nothing refers to, left by a process that died between two steps. Runs beside everything else: only what
    /// is older than this process is looked at.
    package func sweep(startedAt: Timestamp, isInUse: (BlobName) -> Bool) throws {
        for shard in try content.existingShards() {
            for blob in try content.blobs(inShard: shard) where !isInUse(blob) {
                let item = try metadata.read { try $0.local.item(NodeID(blob.node)) }
                if let item, item.generation == blob.generation, item.presence != .none { continue }
                guard let status = try? content.status(blob), status.changed < startedAt else { continue }
                // The row may have come to this blob since it was read.
                let now = try metadata.read { try $0.local.item(NodeID(blob.node)) }
                guard now?.generation != blob.generation || now?.presence == Presence.none else { continue }
                // A row that says so may not be durable yet, and be as it was after a loss of power.
                try metadata.makeDurable()
                try content.remove(blob)
            }
        }
    }
}

extension EngineContext {
    /// Sweeps leftovers off the cooperative pool.
    package func blockingSweep(_ recovery: Recovery, _ startedAt: Timestamp, _ downloads: ContentService) async throws {
        try await blocking {
            try recovery.sweep(startedAt: startedAt) { downloads.isActive($0) }
            try recovery.repairLost { downloads.isActive($0.blob) || mounted.isOpen($0.node) }
        }
    }
}
