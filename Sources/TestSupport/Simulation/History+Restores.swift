import CloudModel
import ContainerLog
import LocalMetadata
import Sync
import TestSupport

/// Restoring deleted items.
extension History {
    /// Restores an item outside packages, with everything deleted with it.
    func restoreDeleted(_ device: SimulatedDevice) throws {
        let deleted = try device.metadata.read { transaction in
            try transaction.history.allDeletions(after: nil, limit: 100).compactMap {
                try transaction.history.deletedItem($0.item, in: $0.container)
            }.filter { try transaction.remote(in: $0.container).packages(around: $0.cloud.parent).isEmpty }
        }
        if let item = random.pick(deleted) { try restore(item, on: device) }
    }

    private func restore(_ item: DeletedItem, on device: SimulatedDevice) throws {
        let gone = try device.metadata.read { transaction in
            var gone = [item]
            try transaction.forEach(deletedWith: item) { child, _ in gone.append(child) }
            return gone
        }
        let context = device.context
        _ = try BackgroundWork.wait { try await DeletedItems(context).restore(item.id, of: item.container) }
        record(device, "restores \(item.name)")
        for item in gone {
            guard let content = item.cloud.body.content?.reference, let bytes = cloud.formerContents[content] else {
                continue
            }
            // A deletion still unsent on this device is withdrawn, without a trace in the log.
            ledger.restore(String(decoding: bytes, as: UTF8.self), isInLog: item.departure == nil)
        }
        // Edits of an item whose deletion was unconfirmed when it was restored may have no base in the log, and become
        // conflicts.
        if gone.contains(where: { $0.departure != nil }) { ledger.mayReturn(ledger.written) }
        try notePackages(of: device)
    }

    /// Deletes a document, copies the state before the deletion is sent, and puts it back after a different device
    /// restored the document.
    func crossRestore(_ device: SimulatedDevice) throws {
        guard let other = random.pick(devices.filter { $0 !== device }), devices.allSatisfy(\.isOnline),
            let item = random.pick(
                try user(on: device).items { $0.kind == .file && !$0.isExcluded && !$0.isConflictSibling })
        else { return }
        let deletion = try user(on: device).unlink(item, &ledger)
        var copy = StateCopy()
        for part in [StateCopy.Part.database, .content] { try copy.add(part, of: device.disk.directory) }
        record(device, "\(deletion), its state is copied, and it syncs")
        for _ in 0..<3 { try syncAll() }
        let container = try other.container().id
        guard let deleted = try other.metadata.read({ try $0.history.deletedItem(item.item, in: container) }) else {
            return
        }
        try restore(deleted, on: other)
        for _ in 0..<3 { try syncAll() }
        try confirmRestores()
        try putBack(copy, of: device)
        // User actions without knowledge of the restore may rightly replace the document.
        try device.syncFully()
    }

    /// Confirms restored contents, once they are in the log and shown by every device: only a user may delete them
    /// again.
    func confirmRestores() throws {
        guard !ledger.unconfirmed.isEmpty else { return }
        let shown = try devices.map { try Snapshot($0).contents }
        guard ledger.unconfirmed.contains(where: { text in shown.allSatisfy { $0.contains(text) } }) else { return }
        let isSeen = try devices.allSatisfy { device in
            let container = try device.container()
            return try container.sequence.value == UInt64(cloud.length)
                && device.metadata.read { try $0.pending.batch(of: container.id) == nil }
        }
        guard isSeen else { return }
        ledger.confirmRestores(shown.reduce(try loggedTexts().current) { $0.intersection($1) })
    }
}
