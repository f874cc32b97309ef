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
import VirtualFileSystem

/// The engine's loops in single steps, so anything can happen between two of them.
extension SimulatedDevice {
    /// Folds the next entry of the log. Returns false if there is none, or if the log differs from the one read by this
    /// device.
    @discardableResult
    func fold() throws -> Bool {
        let container = try container()
        let record: LogRecord?
        do { record = try calling { try cloud.entry(after: container.position, for: number) } } catch let error
            as CloudError
        {
            try noteDivergence(error.message, of: container)
            return false
        }
        try noteDivergence(nil, of: container)
        lookedAt = cloud.puts
        guard let record else { return false }
        let files = cloud.bug == .swappedBase ? try filesBeforeFold(in: container) : []
        let ignoresCase = try cloud.bug == .namesByBytes && forgetFolding(in: container)
        if [.oneIdentity, .ownEntries].contains(cloud.bug) { try claim(record, in: container) }
        try LogFollower(context).fold(record, in: container)
        if ignoresCase { try setFolding(true, in: container) }
        if !files.isEmpty { try swapBases(of: files, in: container) }
        return true
    }

    /// Takes every entry under this device's id for its own.
    private func claim(_ record: LogRecord, in container: LocalContainer) throws {
        // An undecodable entry has no author.
        guard let batch = try? ChangeBatch(decoding: record.payload), batch.device == context.device else { return }
        let author = BatchAuthor(device: batch.device, number: batch.deviceSequence)
        try metadata.write { try $0.pending.noteMade(record.payload, of: author, in: container.id) }
    }

    func followUnsettled() throws { try LogFollower(context).followUnsettled(in: container()) }

    /// Creates the batch to send, or finds the one on its way. Returns false if there is nothing to send.
    func makeBatch() throws -> Bool { try Outbox(context).next(in: container()) != nil }

    /// Records that the cloud's log differs from the one read by this device, like the engine; nil when it does not.
    private func noteDivergence(_ why: String?, of container: LocalContainer) throws {
        guard container.divergence != why else { return }
        try metadata.write(.freeing) { try $0.setDivergence(why, of: container.id) }
        metadata.diverged.set(container.id, isDiverged: why != nil)
    }

    /// Whether the cloud's log differed from the one read by this device at the last look.
    func isDiverged() throws -> Bool { try container().divergence != nil }

    /// Sends the existing batch, whether or not the log has it already: the reply may have been lost. Returns false if
    /// there is none, or if the log differs from the one read by this device.
    @discardableResult
    func append() throws -> Bool {
        let container = try container()
        guard let batch = try metadata.read({ try $0.pending.batch(of: container.id) }) else { return false }
        do {
            try calling { try append(batch.payload, after: container) }
        } catch let error as CloudError where error.code == .diverged {
            try noteDivergence(error.message, of: container)
            return false
        }
        if cloud.bug == .forgottenBatch { try metadata.write { try $0.pending.removeBatch(of: container.id) } }
        return true
    }

    /// Appends a batch, after uploading again its bytes lost by the cloud. A batch whose bytes are gone is withdrawn.
    private func append(_ payload: [UInt8], after container: LocalContainer) throws {
        do { try cloud.append(payload, after: container.position) } catch {
            guard error.code == .damaged else { throw error }
            for content in cloud.missing(in: payload) {
                let holder = try UserActions(device: self).items { $0.content == content && $0.presence == .whole }
                    .first
                // A program may be writing to the file.
                guard let holder, !holder.isEdited, try cloud.store(bytes(of: holder.blob)) == content else {
                    return try metadata.write { try $0.withdrawBatch(of: container.id) }
                }
            }
            try cloud.append(payload, after: container.position)
        }
        sent = (sent + [(payload, container.position)]).suffix(3)
    }

    /// Sends a request to the cloud: the request may not arrive, and its reply may be lost.
    private func calling<T>(_ request: () throws -> T) throws -> T {
        try faults.pass(.cloud)
        let reply = try request()
        try faults.pass(.cloud)
        return reply
    }

    /// Uploads every settled edit. `meanwhile` runs between the upload of the bytes and the record that they are in the
    /// cloud.
    @discardableResult
    func upload(meanwhile: () throws -> Void = {}) throws -> Bool {
        // A close waits for a shorter time than an edit.
        files.recordCloses()
        let due = time.now().adding(.milliseconds(-250))
        let items = try metadata.read { try $0.transfers.uploadable(before: due, sizes: 0...UInt64.max, limit: 100) }
        var isAnyDone = false
        for item in items {
            // Deleted since: there is nothing left to upload.
            guard let candidate = try? UploadCandidate(item, in: content) else { continue }
            let bytes = try bytes(of: item.blob)
            let reference = try calling { cloud.store(bytes) }
            guard candidate.isIntact(reference) else {
                throw BrokenRule(what: "\(item.name) is not uploaded, as if its disk had changed it")
            }
            try meanwhile()
            try content.sync(item.blob)
            if try metadata.write({ try note(candidate, reference, $0) }) { isAnyDone = true }
        }
        return isAnyDone
    }

    private func note(
        _ candidate: UploadCandidate, _ reference: ContentReference, _ transaction: MetadataTransaction
    ) throws -> Bool {
        guard cloud.bug == .uploadHidesWrite, var row = try transaction.local.item(candidate.item.node) else {
            return try candidate.note(reference, in: content, transaction)
        }
        (row.content, row.isEdited) = (reference, false)
        try transaction.local.update(row)
        return true
    }

    /// Downloads all wanted items.
    @discardableResult
    func download() throws -> Bool {
        if cloud.bug == .downloadOverEdit { try overwriteEdits() }
        let wanted = try metadata.read {
            try $0.transfers.wanted(limit: 100) + $0.transfers.wantedWhenSpace(upTo: .max, limit: 100)
        }
        for item in wanted {
            // As in the queue, a damaged content does not hold up others, and stays wanted for a later attempt.
            do { try fetch(item) } catch is ChunkError { continue } catch is CloudError { continue }
        }
        return !wanted.isEmpty
    }

    private func fetch(_ item: LocalItem) throws {
        if item.presence == .whole { try fetchNewVersion(of: item) } else { try materialise(item) }
        guard var row = try metadata.read({ try $0.local.item(item.node) }), row.wanted > 0 else { return }
        row.wanted = 0
        try metadata.write { try $0.local.update(row) }
    }

    /// Fills a placeholder not open in any program.
    func materialise(_ item: LocalItem) throws {
        guard let reference = item.content, !files.isOpen(item.node) else { return }
        try write(reference, to: item.blob, modified: item.attributes.modified)
        _ = try metadata.write { try $0.noteWhole(item, holding: reference, at: time.now()) }
    }

    private func fetchNewVersion(of item: LocalItem) throws {
        guard !item.isEdited, let newest = try metadata.read({ try $0.cloudItem(item)?.content }),
            newest != item.content
        else { return }
        let blob = BlobName(node: item.node.value, generation: item.generation + 1)
        try write(newest, to: blob, modified: item.attributes.modified)
        let isInstalled = try context.changeTree { transaction, effects in
            var follower = LogFollower(context).follower(transaction, item.container)
            let name = try follower.install(newest, blob: blob, replacing: item)
            if let name, name != blob { try content.rename(blob, to: name) }
            effects = follower.effects
            return name != nil
        }
        if !isInstalled { try content.remove(blob) }
    }

    func write(_ reference: ContentReference, to blob: BlobName, modified: Timestamp) throws {
        guard let bytes = try calling({ try cloud.fetch(reference) }) else {
            guard cloud.puts == 0 else { throw CloudError(.notFound, "The cloud went back.") }
            throw Errno(EIO, "the cloud never got \(reference.digest)")
        }
        let descriptor = try content.create(blob)
        defer { close(descriptor) }
        try faults.pass(.write)
        try check("pwrite") { pwrite(descriptor, bytes, bytes.count, 0) }
        try setModified(modified, descriptor: descriptor)
        try content.sync(blob)
    }

    func bytes(of blob: BlobName) throws -> [UInt8] {
        let descriptor = try content.open(blob)
        defer { close(descriptor) }
        return try Self.bytes(of: descriptor)
    }

    static func bytes(of descriptor: Int32) throws -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: 1024)
        let count = try check("pread") { pread(descriptor, &buffer, buffer.count, 0) }
        return Array(buffer.prefix(count))
    }

    /// Runs a round of all loops, as the engine does.
    func syncFully() throws {
        files.noteIdleEdits(pause: .seconds(2))
        try upload()
        while try fold() {}
        try followUnsettled()
        var batches = 0
        while batches < 50, try !isDiverged(), try makeBatch() {
            guard try append() else { break }
            while try fold() {}
            try followUnsettled()
            batches += 1
        }
        try download()
    }

    /// Returns the obstacles to this device being at rest, once it has folded the whole log.
    func unrest() throws -> [String] {
        let container = try container()
        return try metadata.read { transaction in
            var found = files.hasWaitingCloses ? ["a close is not recorded"] : []
            let pending = try transaction.pending.items(before: Timestamp(nanoseconds: .max), limit: 10)
            found += try pending.map { "\(try path(of: $0, transaction)) is pending" }
            let totals = try transaction.pending.totals()
            if totals.items > pending.count { found.append("\(totals.items) changes are unsent") }
            found += try transaction.keyValues.pending().map { "key \($0.key) is unsent" }
            if try transaction.pending.batch(of: container.id) != nil { found.append("a batch is on its way") }
            for id in try transaction.synced.unsettled(in: container.id, limit: 10) {
                let item = try transaction.local.item(id, in: container.id)
                // A newer version lost by the cloud stays wanted.
                let newer = try transaction.remote(id, in: container.id)?.body.content?.reference
                if cloud.puts > 0, let newer, newer.size > 0, cloud.contents[newer] == nil { continue }
                found.append("\(id) \(try item.map { try path(of: $0, transaction) } ?? "-") is unsettled")
            }
            // Contents lost by the cloud stay wanted.
            guard cloud.puts == 0 else { return found }
            if try transaction.transfers.wantedTotal() > 0 { found.append("downloads are wanted") }
            if let root = try transaction.local.item(container.node) {
                try transaction.local.forEach(below: root) { item in
                    guard item.wanted > 0 else { return }
                    found.append("\(try path(of: item, transaction)) is wanted")
                }
            }
            return found
        }
    }

    func path(of item: LocalItem, _ transaction: MetadataTransaction) throws -> String {
        try transaction.local.path(of: item.node).map(\.description).joined(separator: "/")
    }
}
