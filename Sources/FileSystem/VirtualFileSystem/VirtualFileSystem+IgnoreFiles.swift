import Basics
package import CloudModel
import Glibc
import LocalContent
package import LocalMetadata
import Logging
import Transfers

/// Reads the mount's ignore files, and updates the items excluded by them.
///
/// A pattern concerns new items only, as in git: items of the log stay in it. So items affected by patterns are found
/// by two indexes, not by a walk through the tree.
extension VirtualFileSystem {
    /// Follows a transaction. Called after its commit, before the call behind it returns, so the next change finds the
    /// new rules.
    package func rowsChanged(_ changes: RowChanges) {
        if ignoring.areConcerned(by: changes) { applyIgnoreFiles() }
    }

    /// Reads changed ignore files, and excludes their matches. After an error it is repeated with the next check of
    /// open files. Items without a match are included by ``includeAgain(pause:)``.
    package func applyIgnoreFiles() {
        do {
            try ignoring.refresh {
                try readIgnoreFiles()
                if try excludeNew() > 0 { source.localTreeChanged() }
            }
        } catch { log.warning("could not apply the ignore files", metadata: ["error": "\(error)"]) }
    }

    /// Completes leftover work from changes of ignore files.
    func applyLateIgnoreFiles() {
        if ignoring.isStale { applyIgnoreFiles() }
        includeAgain(pause: Self.savePause)
    }

    /// The time an editor needs to replace an ignore file after moving it away.
    private static let savePause = Duration.seconds(2)

    /// Includes items no longer matched by a pattern, if the rules have changed and not within the last `pause`: while
    /// an editor saves an ignore file, there may be none, and its absence should not cause any upload.
    package func includeAgain(pause: Duration) {
        guard ignoring.takeChange(pause: pause, at: time.now()) else { return }
        do {
            if try includeUnmatched() > 0 { source.localTreeChanged() }
        } catch {
            ignoring.returnChange(at: time.now())
            log.warning("could not follow the ignore files", metadata: ["error": "\(error)"])
        }
    }

    /// Ineffective ignore files, by their nodes, with the reasons.
    package var ignoreProblems: [(node: NodeID, problem: IgnoreFile.Problem)] {
        ignoring.entries.values.compactMap { entry in entry.problem.map { (entry.row.node, $0) } }
            .sorted { $0.node < $1.node }
    }

    // MARK: Reading

    private func readIgnoreFiles() throws {
        let (rows, effective) = try metadata.read { transaction in
            let rows = try transaction.local.ignoreFiles(limit: 10 * IgnoreRules.maximumFiles)
            return (rows, try rows.filter { try isEffective($0, transaction) })
        }
        let known = ignoring.entries
        var entries: [NodeID: IgnoreRules.Entry] = [:]
        var bytes: UInt64 = 0
        for row in effective {
            let size = min(row.size, UInt64(IgnoreFile.maximumSize))
            guard entries.count < IgnoreRules.maximumFiles, bytes + size <= UInt64(IgnoreRules.maximumBytes) else {
                log.warning(
                    "too many ignore files; the others have no effect", metadata: ["count": "\(effective.count)"])
                break
            }
            bytes += size
            entries[row.parent] = try entry(for: row, known[row.parent])
        }
        ignoring.set(entries, nodes: Set(rows.map(\.node)), at: time.now())
    }

    /// Returns a file's rules; the previous rules while it is being written or its bytes are missing.
    private func entry(for row: LocalItem, _ known: IgnoreRules.Entry?) throws -> IgnoreRules.Entry {
        if let known, known.row == row { return known }
        guard row.size <= IgnoreFile.maximumSize else {
            return IgnoreRules.Entry(row: row, file: nil, problem: .isTooLarge)
        }
        // Replaced as soon as the file is closed, or its bytes are local.
        let present = known ?? IgnoreRules.Entry(row: row, file: nil, problem: nil)
        guard row.isMaterialised, !row.isWriting else { return present }
        do {
            let file = try IgnoreFile(row.size == 0 ? [] : read(row.blob))
            return IgnoreRules.Entry(row: row, file: file, problem: nil)
        } catch let problem as IgnoreFile.Problem {
            return IgnoreRules.Entry(row: row, file: nil, problem: problem)
        } catch let error as Errno {
            // A newer version may have replaced the blob since the row was read; that change is followed next.
            log.warning("could not read an ignore file", metadata: ["blob": "\(row.blob)", "error": "\(error)"])
            return present
        }
    }

    private func read(_ blob: BlobName) throws -> [UInt8] {
        let file = SharedDescriptor(adopting: try content.open(blob))
        defer { withExtendedLifetime(file) {} }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 16_384)
        // A byte above the limit shows that the file has grown since.
        while bytes.count <= IgnoreFile.maximumSize {
            let count = try check("pread") { pread(file.raw, &piece, piece.count, off_t(bytes.count)) }
            guard count > 0 else { break }
            bytes += piece.prefix(count)
        }
        return bytes
    }

    /// Returns whether a file's patterns apply: it is a document, not in a package, and no folder above it is excluded.
    private func isEffective(_ file: LocalItem, _ transaction: MetadataTransaction) throws -> Bool {
        guard file.kind == .file, !file.isConflictSibling, !file.isExcluded else { return false }
        return try foldersInDocuments(file.parent, transaction)?.contains { $0.isExcluded || $0.isPackage } == false
    }

    /// Returns the folders from `Documents` down to this folder; nil for a folder elsewhere.
    func foldersInDocuments(_ node: NodeID, _ transaction: MetadataTransaction) throws -> [LocalItem]? {
        var folders: [LocalItem] = []
        var current = node
        // Corrupt rows may form a cycle; no path has more folders.
        while current != .root, folders.count < 4096, let folder = try transaction.local.item(current) {
            folders.append(folder)
            if folder.item == .documents { return folders.reversed() }
            current = folder.parent
        }
        return nil
    }

    // MARK: Applying

    /// Returns the number of items no longer matched by any pattern.
    private func includeUnmatched() throws -> Int {
        var count = 0
        var last = NodeID(0)
        while case let rows = try metadata.read({ try $0.local.excludedByPattern(after: last, limit: 500) }),
            let end = rows.last
        {
            last = end.node
            let nodes = try metadata.read { transaction in
                try zip(rows, exclusions(ofPlaced: rows, transaction)).filter { row, exclusion in
                    try exclusion != .byPattern && hasKnownRules(row, transaction)
                }.map(\.0.node)
            }
            for node in nodes { count += try reconsider(node, when: { $0.exclusion == .byPattern }) ? 1 : 0 }
        }
        return count
    }

    /// Excludes new items matched by a pattern now and missing from the log. Returns how many there were.
    private func excludeNew() throws -> Int {
        guard !ignoring.isEmpty else { return 0 }
        var nodes = try metadata.read { transaction in
            try ignored(transaction.local.unsentInWriting(), transaction)
        }
        var last: LocalItem?
        while case let rows = try metadata.read({ try $0.local.unsent(after: last, limit: 500) }), let end = rows.last {
            last = end
            nodes += try metadata.read { try ignored(rows, $0) }
        }
        var count = 0
        for node in nodes { count += try reconsider(node, when: { !$0.isExcluded && !$0.isKnown }) ? 1 : 0 }
        return count
    }

    private func ignored(_ rows: [LocalItem], _ transaction: MetadataTransaction) throws -> [NodeID] {
        try zip(rows, exclusions(ofPlaced: rows, transaction)).filter { $1 == .byPattern }.map(\.0.node)
    }

    /// Returns the exclusion of each item at its place. The shared context of a folder's items is looked up once.
    private func exclusions(ofPlaced rows: [LocalItem], _ transaction: MetadataTransaction) throws -> [Exclusion] {
        var folders: [NodeID: (item: LocalItem, scope: IgnoreScope?)] = [:]
        return try rows.map { row in
            if folders[row.parent] == nil {
                // A corrupt row affects only its own item.
                guard let item = try transaction.local.item(row.parent) else { return row.exclusion }
                folders[row.parent] = (item, try ignoreScope(in: item, transaction)?.scope)
            }
            guard let folder = folders[row.parent] else { return row.exclusion }
            return exclusion(of: row.kind, row.name, in: folder.item, folder.scope)
        }
    }

    /// Returns whether the patterns of all ignore files above an item are known. Items possibly excluded by an unknown
    /// file must not be uploaded.
    private func hasKnownRules(_ item: LocalItem, _ transaction: MetadataTransaction) throws -> Bool {
        let entries = ignoring.entries
        let folders = try foldersInDocuments(item.parent, transaction) ?? []
        return !folders.contains { entries[$0.node]?.isUnknown == true }
    }

    /// Updates whether an item and everything in it are excluded. Returns false if nothing changes.
    private func reconsider(_ node: NodeID, when mayChange: (LocalItem) -> Bool) throws -> Bool {
        try metadata.write { transaction in
            guard let old = try transaction.local.item(node), mayChange(old), !old.isConflictSibling else {
                return false
            }
            var item = old
            item.exclusion = try exclusions(ofPlaced: [item], transaction)[0]
            guard item.exclusion != old.exclusion else { return false }
            if item.isExcluded, try isPartlyInLog(item, transaction) { return false }
            let now = time.now()
            if item.isExcluded || !item.isWriting { item.markPending(at: now) }
            try transaction.local.update(item)
            if item.kind == .folder { try spreadExclusion(item, from: old, transaction, at: now) }
            return true
        }
    }

    /// Returns whether the log has an item, or anything in it.
    private func isPartlyInLog(_ item: LocalItem, _ transaction: MetadataTransaction) throws -> Bool {
        var isInLog = false
        try transaction.local.forEach(below: item) { each in
            guard !isInLog else { return }
            isInLog =
                try each.isKnown || each.isConflictSibling
                || transaction.remote(in: each.container).item(each.item) != nil
        }
        return isInLog
    }
}
