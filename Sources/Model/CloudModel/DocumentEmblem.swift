/// The one state of an item that a file manager shows beside its name. ``DocumentState`` has independent facts; an icon has room for the
/// one that matters most. The raw values are sent to programs and never change.
package enum DocumentEmblem: String, CaseIterable, Hashable, Sendable {
    /// The newest known bytes are in the cloud only.
    case cloud
    /// The document is on this device and in the cloud.
    case here
    /// The bytes are on their way to this device, or were requested.
    case downloading
    case uploading
    /// A change has not reached the cloud yet and is not being sent now.
    case waiting
    /// Changes are not sent, because the user paused the sync of the document or of a folder above it.
    case paused
    /// The document has versions in conflict, or is one.
    case conflict
    /// The last transfer failed.
    case failed
    /// The name stays on this device.
    case excluded
    /// As ``here``, and the bytes stay on this device.
    case pinned
    /// An ordinary folder, of which nothing of the above is the case. The documents in it have states of their own.
    case folder
    /// There is no item at the path.
    case unknown
    /// The path cannot be one of the mount.
    case outside
    /// The state cannot be read, because the item's row is damaged.
    case error

    /// Chooses what matters most: first what needs a person, then what is under way, then where the bytes are. Pure. Every place that
    /// shows one state for a document uses this rule.
    ///
    /// - Parameters:
    ///   - isFolder: Whether the item is a folder that is no package.
    ///   - isConflictVersion: Whether the item is a version in conflict of another document.
    ///   - isPinned: Whether the item's bytes are to be kept here.
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
