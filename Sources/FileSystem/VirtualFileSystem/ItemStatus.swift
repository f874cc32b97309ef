package import CloudModel
package import LocalMetadata
import Synchronization

/// What is known of a document's state. Three axes that do not depend on each other: what is here, what is in the cloud, conflicts.
package struct DocumentStatus: Sendable, Equatable {
    package enum Downloading: String, Sendable {
        /// Local, and the newest version known.
        case current
        /// Local, but a newer version is known.
        case downloaded
        case notDownloaded

        fileprivate func worse(_ other: Downloading) -> Downloading {
            let order: [Downloading] = [.current, .downloaded, .notDownloaded]
            return order.last { $0 == self || $0 == other } ?? self
        }
    }

    package var downloading: Downloading
    package var isDownloading: Bool
    package var percentDownloaded: Double
    package var isDownloadRequested: Bool
    package var downloadingError: String?
    package var isUploaded: Bool
    package var isUploading: Bool
    package var percentUploaded: Double
    package var uploadingError: String?
    package var hasUnresolvedConflicts: Bool
    /// Path inside the container of the document that this is a conflict version of.
    package var conflictOf: String?
    package var conflictVersion: VersionID?
    package var isExcluded: Bool
    package var pin: PinState
    package var effectivePin: PinState
    package var isPaused: Bool
    package var item: ItemID
    package var version: VersionID?
    package var device: String?
    package var container: ContainerName
}

extension VirtualFileSystem {
    /// The state of an item, from the database and the transfers under way; never from the network.
    package func status(of node: NodeID) throws -> DocumentStatus {
        // Asked before its row is read: an edit that is noted in between is then in the row.
        let isBeingEdited = hasUnnotedEdit(node)
        var result = try status(of: try metadata.read { try existing(node, $0) })
        if isBeingEdited { (result.isUploaded, result.percentUploaded) = (false, 0) }
        return result
    }

    /// Whether a file was written whose handles are not all released: a program does not wait for that when it closes.
    private func hasUnnotedEdit(_ node: NodeID) -> Bool {
        guard let file = openFiles[node] else { return false }
        return file.state.withLock { state in
            guard state.writers > 0 else { return false }
            // What can not be looked at may have been written.
            do { return try writtenStatus(state) != nil } catch { return true }
        }
    }

    package func status(of item: LocalItem) throws -> DocumentStatus {
        // Asked before the transaction: whoever answers may itself be reading the database.
        let progress = source.progress(of: item)
        let own = try metadata.read { try status(of: item, progress, $0) }
        return item.isPackage ? try status(ofPackage: item, own) : own
    }

    /// A package is as far as the last of its files is, and has the first error of any.
    private func status(ofPackage package: LocalItem, _ own: DocumentStatus) throws -> DocumentStatus {
        var files: [LocalItem] = []
        var isUploaded = own.isUploaded
        try metadata.read { transaction in
            try transaction.forEach(below: package) { item in
                if item.kind == .file, !item.isConflictSibling { files.append(item) }
                if item.pendingSince != nil { isUploaded = false }
            }
        }
        var whole = own
        // No integers: sizes are what other devices say, and their sum may pass 64 bits.
        var (size, present) = (0.0, 0.0)
        for file in files where !file.isExcluded {
            let status = try status(of: file)
            whole.downloading = whole.downloading.worse(status.downloading)
            whole.isDownloading = whole.isDownloading || status.isDownloading
            whole.isDownloadRequested = whole.isDownloadRequested || status.isDownloadRequested
            whole.downloadingError = whole.downloadingError ?? status.downloadingError
            isUploaded = isUploaded && status.isUploaded
            whole.isUploading = whole.isUploading || status.isUploading
            whole.uploadingError = whole.uploadingError ?? status.uploadingError
            whole.hasUnresolvedConflicts = whole.hasUnresolvedConflicts || status.hasUnresolvedConflicts
            size += Double(file.size)
            present += Double(file.size) * status.percentDownloaded
        }
        whole.isUploaded = isUploaded
        whole.percentUploaded = isUploaded ? 100 : 0
        whole.percentDownloaded = size == 0 ? 100 : present / size
        return whole
    }

    private func status(
        of item: LocalItem, _ progress: TransferFractions, _ transaction: MetadataTransaction
    ) throws -> DocumentStatus {
        let remote = try transaction.cloudItem(item)
        let isWhole = item.kind != .file || item.isMaterialised
        let isStale = !item.isEdited && item.content != nil && remote?.content != nil && remote?.content != item.content
        let isAnnounced = item.kind == .file && item.content == nil && item.size > 0
        let isUploaded =
            !item.isExcluded && !isAnnounced && item.pendingSince == nil && !item.isEdited
            && (item.isKnown || item.isConflictSibling)
        let document = try item.conflict.flatMap { try transaction.item($0.document, in: item.container) }
        return DocumentStatus(
            downloading: isWhole ? (isStale ? .downloaded : .current) : .notDownloaded,
            isDownloading: progress.downloading != nil,
            percentDownloaded: isWhole ? 100 : (progress.downloading ?? 0) * 100,
            isDownloadRequested: item.wanted > 0 || progress.downloading != nil, downloadingError: item.downloadError,
            isUploaded: isUploaded, isUploading: progress.uploading != nil,
            percentUploaded: isUploaded ? 100 : (progress.uploading ?? 0) * 100, uploadingError: item.uploadError,
            hasUnresolvedConflicts: try !item.isConflictSibling
                && !transaction.siblings(of: item.item, in: item.container).isEmpty,
            conflictOf: try document.map {
                try transaction.path(of: $0.node).map(\.description).joined(separator: "/")
            },
            conflictVersion: item.conflict?.version, isExcluded: item.isExcluded, pin: item.pin,
            effectivePin: try effectivePin(of: item, transaction), isPaused: item.isPaused, item: item.item,
            version: item.conflict?.version ?? remote?.version, device: remote?.device,
            container: try transaction.container(item.container)?.name ?? .cloudDocs)
    }

    /// The item's own pin, else that of the nearest folder above that has one.
    package func effectivePin(of item: LocalItem, _ transaction: MetadataTransaction) throws -> PinState {
        var current = item
        for _ in 0..<4096 {
            if current.pin != .inherited { return current.pin }
            guard current.parent != .root, let parent = try transaction.item(current.parent) else { break }
            current = parent
        }
        return .lazy
    }
}
