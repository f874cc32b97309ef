import Basics
import CloudModel
import ContainerLog
import DaemonProtocol
import LocalMetadata
import Queries
import Transfers
import VirtualFileSystem

/// An item as a query sees it: its row, and what follows from the rows around it.
struct FoundRow: LiveSubject, Sendable {
    /// What all items of a folder have in common.
    struct Folder: Sendable {
        /// From the mount on.
        let path: [UInt8]
        let isInDocuments: Bool
    }

    let item: LocalItem
    let folder: Folder
    let container: ContainerName
    let hasConflicts: Bool
    /// The bytes here are not the newest ones known.
    let isStale: Bool
    let progress: TransferFractions
    let mountPoint: String

    var scopeContainer: Int64 { item.container.value }
    var isInDocuments: Bool { folder.isInDocuments }
    var ending: String? { Predicate.ending(of: item.name.bytes) }

    var path: [UInt8] { folder.path.isEmpty ? item.name.bytes : folder.path + [UInt8(ascii: "/")] + item.name.bytes }

    private var isPackage: Bool { item.kind == .folder && PackageTypes.isPackage(item.name) }

    private var kind: ItemStatus.Kind {
        switch item.kind {
        case .folder: isPackage ? .package : .folder
        case .symlink: .symlink
        case .file, .pipe, .socket: .file
        }
    }

    private var contentTypes: [String] {
        ContentType.tree(
            name: item.name.description, isFolder: item.kind == .folder, isPackage: isPackage,
            isLink: item.kind == .symlink)
    }

    private var isWhole: Bool { item.kind != .file || item.isMaterialised }

    private var downloadingStatus: ItemStatus.DownloadingStatus {
        isWhole ? (isStale ? .downloaded : .current) : .notDownloaded
    }

    /// As ``VirtualFileSystem/status(of:)`` has it.
    private var isUploaded: Bool {
        let isAnnounced = item.kind == .file && item.content == nil && item.size > 0
        return !item.isExcluded && !isAnnounced && item.pendingSince == nil && !item.isEdited
            && (item.isKnown || item.isConflictSibling)
    }

    private var percentDownloaded: Double { isWhole ? 100 : (progress.downloading ?? 0) * 100 }
    private var percentUploaded: Double { isUploaded ? 100 : (progress.uploading ?? 0) * 100 }
    private var isDownloadRequested: Bool { item.wanted > 0 || progress.downloading != nil }

    /// As the desktops of Linux keep them: with commas between (freedesktop.org, CommonExtendedAttributes).
    private var tags: [String] {
        (item.attributes.extended["user.xdg.tags"] ?? []).split(separator: UInt8(ascii: ",")).map {
            String(decoding: $0, as: UTF8.self)
        }
    }

    func value(of attribute: QueryAttribute) -> QueryValue? {
        switch attribute {
        case .name: .text(item.name.description)
        case .path: .text("\(mountPoint)/\(String(decoding: path, as: UTF8.self))")
        case .container: .text(container.text)
        case .kind: .text(kind.rawValue)
        case .contentType: contentTypes.first.map { .text($0) }
        case .contentTypeTree: .list(contentTypes)
        case .fileExtension:
            .text(String(decoding: item.name.stemAndExtension.extension.dropFirst(), as: UTF8.self))
        case .size: .number(Double(item.size))
        case .modified: .date(item.attributes.modified.nanoseconds)
        case .created: .date(item.attributes.created.nanoseconds)
        case .tags: .list(tags)
        case .extended(let name): item.attributes.extended[name].map { .text(String(decoding: $0, as: UTF8.self)) }
        default: state(attribute)
        }
    }

    private func state(_ attribute: QueryAttribute) -> QueryValue? {
        switch attribute {
        case .downloadingStatus: .text(downloadingStatus.rawValue)
        case .isDownloading: .flag(progress.downloading != nil)
        case .percentDownloaded: .number(percentDownloaded)
        case .downloadRequested: .flag(isDownloadRequested)
        case .downloadingError: item.downloadError.map { .text($0) }
        case .isUploaded: .flag(isUploaded)
        case .isUploading: .flag(progress.uploading != nil)
        case .percentUploaded: .number(percentUploaded)
        case .uploadingError: item.uploadError.map { .text($0) }
        case .hasUnresolvedConflicts: .flag(hasConflicts)
        case .isUbiquitous: .flag(true)
        case .isExternal, .isShared: .flag(false)
        case .isExcluded: .flag(item.isExcluded)
        case .isSyncPaused: .flag(item.isPaused)
        default: nil
        }
    }

    /// For the wire.
    func found() throws -> FoundItem {
        var found = FoundItem(
            item: item.node.value, path: try MountPath(bytes: path), kind: kind, contentType: contentTypes[0],
            size: item.size, modified: WireTime(item.attributes.modified), created: WireTime(item.attributes.created),
            container: container.text, isInDocuments: isInDocuments, downloadingStatus: downloadingStatus)
        found.isDownloading = progress.downloading != nil
        found.percentDownloaded = percentDownloaded.rounded(.down)
        found.downloadRequested = isDownloadRequested
        found.downloadingError = item.downloadError
        found.isUploaded = isUploaded
        found.isUploading = progress.uploading != nil
        found.percentUploaded = percentUploaded.rounded(.down)
        found.uploadingError = item.uploadError
        found.hasUnresolvedConflicts = hasConflicts
        found.isExcludedFromSync = item.isExcluded
        found.isSyncPaused = item.isPaused
        found.tags = tags.isEmpty ? nil : tags
        return found
    }
}
