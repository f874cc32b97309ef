import Basics
import CloudModel
import ContainerLog
import DeviceSupport
import Glibc
import LocalContent
import LocalMetadata
import Sync
import TestSupport
import VirtualFileSystem

extension SimulatedDevice {
    /// Evicts some file if the rules allow it, and returns its path.
    func evictAny(_ random: inout SeededGenerator) throws -> String? {
        try random.pick(filesWithBytes()).flatMap(evict)
    }

    /// Evicts every file permitted by the rules, and returns their paths.
    func evictAll() throws -> [String] { try filesWithBytes().compactMap(evict) }

    private func filesWithBytes() throws -> [LocalItem] {
        try UserActions(device: self).items { $0.kind == .file && $0.presence != .none }
    }

    private func evict(_ file: LocalItem) throws -> String? {
        if cloud.bug == .evictsEdits, let edited = try filesWithBytes().first(where: { $0.isEdited && !$0.isWriting }) {
            try dropEdit(of: edited)
        }
        let kept = file.presence == .whole && file.size > 0 ? try bytes(of: file.blob) : nil
        // An answer counts only if it comes from the history read by this device.
        let position = try container().position
        let isFollowed = (try? cloud.entry(after: position, for: number)) != nil
        let isTrusted = cloud.bug == .trustedUploads
        let content = file.content.flatMap { isTrusted || isFollowed && cloud.contents[$0] != nil ? $0 : nil }
        let stored = content.map { Set([StoredContents.Place(container: file.container, content: $0)]) } ?? []
        do { try Evictor(context).evict(file.node, forSpace: false, stored: stored) } catch is EvictionRefusal {
            return nil
        }
        if let kept, cloud.bug == nil, file.content.flatMap({ cloud.contents[$0] }) != kept {
            throw BrokenRule(what: "\(file.name) was evicted, and the cloud does not have its bytes")
        }
        return try self.files.path(of: file.node).map(\.description).joined(separator: "/")
    }

    /// Returns the edits whose only bytes are gone.
    func lostEdits() throws -> [LocalItem] {
        try UserActions(device: self).items { $0.kind == .file && $0.isEdited && $0.size > 0 }.filter { item in
            do throws(Errno) { _ = try content.status(item.blob) } catch { return error.code == ENOENT }
            return false
        }
    }

    /// Seals all edits, like the engine after they have waited. Returns a problem for each mismatched seal, since no
    /// simulated disk changes anything unasked.
    func sealEdits() throws -> [String] {
        var mismatches: [String] = []
        for item in try metadata.read({ try $0.transfers.edited(after: nil, limit: 100) }) where item.size > 0 {
            // An edit with lost bytes is reported elsewhere.
            guard let status = try? content.status(item.blob) else { continue }
            let digest = SimulatedCloud.name(of: try bytes(of: item.blob)).digest
            if let seal = try content.seal(of: item.blob), cloud.bug == .staleSeal || seal.isOf(item, status) {
                if !seal.matches(digest) { mismatches.append("\(item.name) counts as damaged, and a user wrote it so") }
            } else {
                _ = try EditSealer(context).note(digest, of: item, status)
            }
        }
        return mismatches
    }

    /// Returns contradictory rows.
    func contradictions() throws -> [String] {
        try metadata.read { try $0.rowProblems(limit: 3) }.map {
            "node \($0.node.map(\.description) ?? "-"): \($0.what)"
        }
    }

    /// Returns rows and declarations in memory that differ from the database.
    func staleRows() throws -> [String] {
        try metadata.staleRows().map { "node \($0): its row in memory is not that of the database" }
            + metadata.staleDeclarations().map {
                "container \($0.value): its declarations in memory are not those of the database"
            }
    }

    /// Returns false claims in the status of some file.
    func lies(_ random: inout SeededGenerator) throws -> [String] {
        let user = UserActions(device: self)
        guard let item = random.pick(try user.items { $0.kind == .file && !$0.isWriting }) else { return [] }
        let status = try files.status(of: item.node)
        var found: [String] = []
        // A cloud put back is known as such after the next look.
        if lookedAt == cloud.puts, status.isUploaded, item.size > 0, item.content.flatMap({ cloud.contents[$0] }) == nil
        {
            found.append("\(item.name) counts as uploaded, and the cloud does not have it")
        }
        if status.downloading != .notDownloaded, item.size > 0, try bytes(of: item.blob).count != Int(item.size) {
            found.append("\(item.name) counts as downloaded, and is not all here")
        }
        return try found + (item.isConflictSibling ? [] : promises(brokenBy: status, of: item))
    }

    /// Returns promises of a document's status (docs/STATUS.md, "What a state promises") not fulfilled by the log as
    /// this device knows it.
    private func promises(brokenBy status: DocumentStatus, of item: LocalItem) throws -> [String] {
        let (remote, resolved, unsettled) = try metadata.read { transaction in
            (
                try transaction.remote(item.item, in: item.container),
                try transaction.pending.resolutions(of: item.item, in: item.container).map(\.version),
                try transaction.synced.unsettled(in: item.container, limit: 1_000)
            )
        }
        // A document open for writing in a program outlives its remote deletion until the program closes it.
        let isGone = remote == nil && !unsettled.contains(item.item)
        let newest = remote?.body.content?.reference
        let isUnsent = item.isEdited || item.pendingSince != nil || item.isExcluded
        var found: [String] = []
        let announced = remote?.attributes.extended[ReservedAttribute.announcedEdit]
        let isReplaced = announced != nil && announced == newest?.digest.bytes
        if status.downloading == .downloaded, newest == nil || newest == item.content && !isReplaced {
            found.append("\(item.name): a newer version is said to be known, and none is")
        }
        if status.downloading == .current, !isUnsent, let newest, newest != item.content {
            found.append("\(item.name) counts as current, and a newer version is known")
        }
        if status.downloading == .current, !isUnsent, isReplaced {
            found.append("\(item.name) counts as current, and an edit of it was announced")
        }
        if status.isUploaded, isUnsent || isGone {
            found.append("\(item.name) counts as uploaded, and the log does not have it")
        }
        let conflicts = (remote?.conflicts ?? []).filter { !resolved.contains($0.version) }
        if status.hasUnresolvedConflicts != !conflicts.isEmpty {
            found.append("\(item.name): \(conflicts.count) conflicts, and its state says otherwise")
        }
        return found
    }

    /// Returns unreferenced bytes, and rows without their bytes.
    func leftovers() throws -> [String] {
        files.removeBlobsNow()
        var blobs: Set<BlobName> = []
        for shard in try content.existingShards() { blobs.formUnion(try content.blobs(inShard: shard)) }
        var found: [String] = []
        try metadata.read { transaction in
            guard let item = try transaction.local.item(root) else { return }
            try transaction.local.forEach(below: item) { file in
                guard file.kind == .file, file.presence != .none else { return }
                if blobs.remove(file.blob) == nil, file.size > 0 { found.append("\(file.name) has no blob") }
            }
        }
        return found + blobs.map { "blob \($0) belongs to nothing" }
    }
}
