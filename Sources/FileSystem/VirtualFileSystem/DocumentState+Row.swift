package import CloudModel
package import LocalMetadata

extension DocumentState {
    /// Derives the state of a single item; for a package, of its folder alone. Attributes, `status` and queries all use
    /// this rule. Pure.
    ///
    /// - Parameter newest: The log's content, where known.
    package init(
        of item: LocalItem, newest: ContentReference?, hasConflicts: Bool, progress: TransferFractions
    ) {
        // All bytes are readable before the row says so, which happens once they are durable.
        let isArrived = item.kind == .file && (progress.downloading ?? 0) >= 1
        let isWhole = item.kind != .file || item.isMaterialised || isArrived
        let isStale = !item.isEdited && item.content != nil && newest != nil && newest != item.content
        let isAnnounced = item.kind == .file && item.content == nil && item.size > 0
        self.init(
            downloading: isWhole ? (isStale || item.hasAnnouncedEdit ? .downloaded : .current) : .notDownloaded,
            isUploaded: !item.isExcluded && !isAnnounced && item.pendingSince == nil && !item.isEdited
                && (item.isKnown || item.isConflictSibling),
            percentUploaded: (progress.uploading ?? 0) * 100)
        isDownloading = progress.downloading != nil && !isArrived
        percentDownloaded = isWhole ? 100 : (progress.downloading ?? 0) * 100
        isDownloadRequested = item.wanted > DownloadPriority.whenSpace || isDownloading
        downloadingError = item.downloadError
        isUploading = progress.uploading != nil
        uploadingError = item.uploadError
        hasUnresolvedConflicts = !item.isConflictSibling && hasConflicts
        isExcluded = item.isExcluded
        isPaused = item.isPaused
        size = item.size
    }
}

extension MetadataTransaction {
    /// Returns the state of an item; for a package, of everything in it. An item in a paused folder is paused.
    ///
    /// - Parameter progress: Returns the progress of an item's current transfers.
    package func syncState(
        of item: LocalItem, progress: (LocalItem) -> TransferFractions
    ) throws -> DocumentState {
        var own = try ownState(of: item, progress)
        own.isPaused = try local.isPaused(item)
        guard item.isPackage else { return own }
        var package = PackageState(own)
        try local.forEach(below: item) { inside in
            if inside.node != item.node { package.add(inside, try ownState(of: inside, progress)) }
        }
        return package.state
    }

    private func ownState(
        of item: LocalItem, _ progress: (LocalItem) -> TransferFractions
    ) throws -> DocumentState {
        let isFile = item.kind == .file
        // An uploaded edit missing from the log is the newest version itself.
        let newest = try isFile && item.content != nil && isStale(item) ? cloudItem(item)?.content : nil
        // Only a file that returned to its name, and is not sent yet, may lack siblings of the log's versions.
        let isUnsent = isFile && (item.isEdited || item.isWriting || item.pendingSince != nil)
        var state = DocumentState(
            of: item, newest: newest,
            hasConflicts: try !item.isConflictSibling
                && (!local.conflicts(of: item).isEmpty
                    || isUnsent && hasUnresolvedVersions(item.item, in: item.container)),
            progress: isFile ? progress(item) : TransferFractions())
        // A rolled-back cloud, or a cloud with a different history, may lack earlier uploads.
        if diverged.contains(item.container) { (state.isUploaded, state.percentUploaded) = (false, 0) }
        return state
    }
}
