/// The state of an item, as `ubiquity status --json PATH` prints it. Fields are only ever added.
///
/// Whether the bytes are local, whether they are in the cloud and whether there is a conflict are three independent facts.
package struct ItemStatus: Codable, Hashable, Sendable {
    package enum Kind: String, Codable, Sendable { case file, folder, package, symlink }

    package enum DownloadingStatus: String, Codable, Sendable {
        /// Local, and the newest version that is known.
        case current
        /// Local, but a newer version is known.
        case downloaded
        case notDownloaded
    }

    package var path: MountPath
    package var kind: Kind
    package var size: UInt64
    package var downloadingStatus: DownloadingStatus
    package var isDownloading = false
    /// 0 to 100.
    package var percentDownloaded: Double = 100
    package var downloadRequested = false
    package var downloadingError: DaemonFailure?
    package var isUploaded = true
    package var isUploading = false
    /// 0 to 100.
    package var percentUploaded: Double = 100
    package var uploadingError: DaemonFailure?
    package var hasUnresolvedConflicts = false
    /// For a conflict sibling: the document it is a losing version of.
    package var conflictOf: MountPath?
    package var isExcludedFromSync = false
    package var pin: PinPolicy = .inherited
    /// The value of `pin` after inheritance; never `inherited`.
    package var effectivePin: PinPolicy = .lazy
    package var isSyncPaused = false
    package var itemID: String
    /// The version that the local content is based on; nil before the first upload.
    package var version: String?
    /// The device that made that version.
    package var device: String?
    package var container: String
    /// Of a package and of a container's folder: the extensions that the container declares as packages. Nil for other items.
    package var packageTypes: [String]?

    package init(
        path: MountPath, kind: Kind, size: UInt64, downloadingStatus: DownloadingStatus, itemID: String,
        container: String
    ) {
        self.path = path
        self.kind = kind
        self.size = size
        self.downloadingStatus = downloadingStatus
        self.itemID = itemID
        self.container = container
    }
}
