package import CloudModel
package import LocalMetadata

/// How far the sync of an item is: the one rule for what attributes, `status` and queries say. Pure.
package struct SyncState: Sendable, Equatable {
    package var downloading: DocumentStatus.Downloading
    package var isDownloading: Bool
    /// 0 to 100.
    package var percentDownloaded: Double
    package var isDownloadRequested: Bool
    package var downloadingError: String?
    package var isUploaded: Bool
    package var isUploading: Bool
    /// 0 to 100.
    package var percentUploaded: Double
    package var uploadingError: String?
    package var hasUnresolvedConflicts: Bool
    /// Bytes; of a package those of its files together.
    package var size: UInt64

    /// The state of an item by itself: of a package, of its folder alone.
    ///
    /// - Parameter newest: The content that the log has, where it is known.
    package init(
        of item: LocalItem, newest: ContentReference?, hasConflicts: Bool, progress: TransferFractions
    ) {
        let isWhole = item.kind != .file || item.isMaterialised
        let isStale = !item.isEdited && item.content != nil && newest != nil && newest != item.content
        let isAnnounced = item.kind == .file && item.content == nil && item.size > 0
        downloading = isWhole ? (isStale ? .downloaded : .current) : .notDownloaded
        isDownloading = progress.downloading != nil
        percentDownloaded = isWhole ? 100 : (progress.downloading ?? 0) * 100
        isDownloadRequested = item.wanted > DownloadPriority.whenSpace || progress.downloading != nil
        downloadingError = item.downloadError
        isUploaded =
            !item.isExcluded && !isAnnounced && item.pendingSince == nil && !item.isEdited
            && (item.isKnown || item.isConflictSibling)
        isUploading = progress.uploading != nil
        percentUploaded = isUploaded ? 100 : (progress.uploading ?? 0) * 100
        uploadingError = item.uploadError
        hasUnresolvedConflicts = !item.isConflictSibling && hasConflicts
        size = item.size
    }
}

/// Adds up the state of a package: it is as far as the last of its files is, and has the first error of any.
package struct PackageState: Sendable {
    private var whole: SyncState
    private var size = 0.0
    private var downloaded = 0.0
    private var uploaded = 0.0

    /// - Parameter folder: The state of the package's own folder.
    package init(_ folder: SyncState) {
        whole = folder
        whole.size = 0
    }

    /// Adds what is inside the package: everything, in any order.
    package mutating func add(_ item: LocalItem, _ state: SyncState) {
        if item.pendingSince != nil { whole.isUploaded = false }
        guard item.kind == .file, !item.isConflictSibling, !item.isExcluded else { return }
        whole.downloading = whole.downloading.worse(state.downloading)
        whole.isDownloading = whole.isDownloading || state.isDownloading
        whole.isDownloadRequested = whole.isDownloadRequested || state.isDownloadRequested
        whole.downloadingError = whole.downloadingError ?? state.downloadingError
        whole.isUploaded = whole.isUploaded && state.isUploaded
        whole.isUploading = whole.isUploading || state.isUploading
        whole.uploadingError = whole.uploadingError ?? state.uploadingError
        whole.hasUnresolvedConflicts = whole.hasUnresolvedConflicts || state.hasUnresolvedConflicts
        whole.size = whole.size.addingReportingOverflow(state.size).overflow ? .max : whole.size + state.size
        size += Double(state.size)
        downloaded += Double(state.size) * state.percentDownloaded
        uploaded += Double(state.size) * state.percentUploaded
    }

    package var state: SyncState {
        var state = whole
        state.percentDownloaded = size == 0 ? 100 : downloaded / size
        // What is left may be names alone: it is not uploaded before the log says so.
        state.percentUploaded = state.isUploaded ? 100 : size == 0 ? 0 : min(99, uploaded / size)
        return state
    }
}

extension MetadataTransaction {
    /// The state of an item; of a package, of all that is in it.
    ///
    /// - Parameter progress: How far the transfers of an item are that are under way.
    package func syncState(
        of item: LocalItem, progress: (LocalItem) -> TransferFractions
    ) throws -> SyncState {
        let own = try ownState(of: item, progress)
        guard item.isPackage else { return own }
        var package = PackageState(own)
        try forEach(below: item) { inside in
            if inside.node != item.node { package.add(inside, try ownState(of: inside, progress)) }
        }
        return package.state
    }

    private func ownState(
        of item: LocalItem, _ progress: (LocalItem) -> TransferFractions
    ) throws -> SyncState {
        let isFile = item.kind == .file
        return SyncState(
            of: item, newest: isFile && item.content != nil ? try cloudItem(item)?.content : nil,
            hasConflicts: try !item.isConflictSibling && !conflicts(of: item).isEmpty,
            progress: isFile ? progress(item) : TransferFractions())
    }
}
