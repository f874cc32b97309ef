package import CloudModel
package import LocalMetadata

/// Adds up the state of a package: it is as far as the last of its files is, and has the first error of any.
package struct PackageState: Sendable {
    private var whole: DocumentState
    private var size = 0.0
    private var downloaded = 0.0
    private var uploaded = 0.0

    /// - Parameter folder: The state of the package's own folder.
    package init(_ folder: DocumentState) {
        whole = folder
        whole.size = 0
    }

    /// Adds what is inside the package: everything, in any order.
    package mutating func add(_ item: LocalItem, _ state: DocumentState) {
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

    package var state: DocumentState {
        var state = whole
        state.percentDownloaded = size == 0 ? 100 : downloaded / size
        // What is left may be names alone: it is not uploaded before the log says so.
        state.percentUploaded = state.isUploaded ? 100 : size == 0 ? 0 : min(99, uploaded / size)
        return state
    }
}
