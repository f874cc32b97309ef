/// A file manager's single emblem for an item. ``DocumentState`` has independent facts; an icon has room for the most
/// important. The raw values are sent to programs and never change.
package enum DocumentEmblem: String, CaseIterable, Hashable, Sendable {
    /// The newest known bytes are only in the cloud.
    case cloud
    /// The document is on this device and in the cloud.
    case here
    /// The bytes are on their way to this device, or were requested.
    case downloading
    case uploading
    /// A change has not reached the cloud yet and is not currently being sent.
    case waiting
    /// Changes are not sent, because the user paused syncing the document or a folder above it.
    case paused
    /// The document has conflict versions, or is one.
    case conflict
    /// The last transfer failed.
    case failed
    /// The name stays on this device.
    case excluded
    /// As ``here``, and the bytes stay on this device.
    case pinned
    /// An ordinary folder without any of the above. The documents in it have separate states.
    case folder
    /// There is no item at the path.
    case unknown
    /// The path cannot be inside the mount.
    case outside
    /// The state is unreadable, because the item's row is damaged.
    case error

    /// Chooses the most important state: first those needing a person, then activity, then the place of the bytes.
    /// Pure. Every place that shows a single state for a document uses this rule.
    ///
    /// - Parameters:
    ///   - isFolder: Whether the item is a folder but not a package.
    ///   - isConflictVersion: Whether the item is a conflict version of another document.
    ///   - isPinned: Whether the item's bytes are to be kept on this device.
    package init(_ state: DocumentState, isFolder: Bool, isConflictVersion: Bool, isPinned: Bool) {
        if state.hasUnresolvedConflicts || isConflictVersion {
            self = .conflict
        } else if state.downloadingError != nil || state.uploadingError != nil {
            self = .failed
        } else if state.isExcluded {
            self = .excluded
        } else if state.isDownloading || state.isDownloadRequested && state.downloading != .current {
            self = .downloading
        } else if state.isUploading {
            self = .uploading
        } else if state.downloading != .current {
            self = .cloud
        } else if state.isPaused {
            self = .paused
        } else if !state.isUploaded {
            self = .waiting
        } else {
            self = isPinned ? .pinned : isFolder ? .folder : .here
        }
    }
}
