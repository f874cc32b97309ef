import DaemonProtocol
public import Foundation

/// Whether the bytes of an item are here. Apple's name: `URLUbiquitousItemDownloadingStatus`.
public struct URLUbiquitousItemDownloadingStatus: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Here, and the newest version that is known.
    public static let current = URLUbiquitousItemDownloadingStatus(
        rawValue: "NSURLUbiquitousItemDownloadingStatusCurrent")
    /// Here, but a newer version is known.
    public static let downloaded = URLUbiquitousItemDownloadingStatus(
        rawValue: "NSURLUbiquitousItemDownloadingStatusDownloaded")
    public static let notDownloaded = URLUbiquitousItemDownloadingStatus(
        rawValue: "NSURLUbiquitousItemDownloadingStatusNotDownloaded")
}

/// What the user of an account may do with an item that is shared. Apple's name: `URLUbiquitousSharedItemRole`.
public struct URLUbiquitousSharedItemRole: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public static let owner = URLUbiquitousSharedItemRole(rawValue: "NSURLUbiquitousSharedItemRoleOwner")
    public static let participant = URLUbiquitousSharedItemRole(rawValue: "NSURLUbiquitousSharedItemRoleParticipant")
}

/// Apple's name: `URLUbiquitousSharedItemPermissions`.
public struct URLUbiquitousSharedItemPermissions: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public static let readOnly = URLUbiquitousSharedItemPermissions(
        rawValue: "NSURLUbiquitousSharedItemPermissionsReadOnly")
    public static let readWrite = URLUbiquitousSharedItemPermissions(
        rawValue: "NSURLUbiquitousSharedItemPermissionsReadWrite")
}

extension URLResourceKey {
    public static let ubiquitousItemSupportedSyncControlsKey = URLResourceKey(
        rawValue: "NSURLUbiquitousItemSupportedSyncControlsKey")
    public static let ubiquitousItemIsSharedKey = URLResourceKey(rawValue: "NSURLUbiquitousItemIsSharedKey")
    public static let ubiquitousSharedItemCurrentUserRoleKey = URLResourceKey(
        rawValue: "NSURLUbiquitousSharedItemCurrentUserRoleKey")
    public static let ubiquitousSharedItemCurrentUserPermissionsKey = URLResourceKey(
        rawValue: "NSURLUbiquitousSharedItemCurrentUserPermissionsKey")
    public static let ubiquitousSharedItemOwnerNameComponentsKey = URLResourceKey(
        rawValue: "NSURLUbiquitousSharedItemOwnerNameComponentsKey")
    public static let ubiquitousSharedItemMostRecentEditorNameComponentsKey = URLResourceKey(
        rawValue: "NSURLUbiquitousSharedItemMostRecentEditorNameComponentsKey")
    public static let ubiquitousItemIsExcludedFromSyncKey = URLResourceKey(
        rawValue: "NSURLUbiquitousItemIsExcludedFromSyncKey")
    public static let ubiquitousItemIsSyncPausedKey = URLResourceKey(rawValue: "NSURLUbiquitousItemIsSyncPausedKey")
}

/// The state of an item in the cloud, at the moment it was asked for. Each value is nil if it was not asked for, or the item is in no container.
///
/// In place of Apple's `URLResourceValues`, which Foundation fills on Linux and nobody else can.
public struct UbiquitousItemValues: Sendable {
    public internal(set) var isUbiquitousItem: Bool?
    public internal(set) var ubiquitousItemDownloadingStatus: URLUbiquitousItemDownloadingStatus?
    public internal(set) var ubiquitousItemIsDownloading: Bool?
    public internal(set) var ubiquitousItemDownloadRequested: Bool?
    public internal(set) var ubiquitousItemDownloadingError: NSError?
    public internal(set) var ubiquitousItemIsUploaded: Bool?
    public internal(set) var ubiquitousItemIsUploading: Bool?
    public internal(set) var ubiquitousItemUploadingError: NSError?
    public internal(set) var ubiquitousItemHasUnresolvedConflicts: Bool?
    public internal(set) var ubiquitousItemContainerDisplayName: String?
    public internal(set) var ubiquitousItemIsExcludedFromSync: Bool?
    public internal(set) var ubiquitousItemIsSyncPaused: Bool?
    public internal(set) var ubiquitousItemSupportedSyncControls: NSFileManagerSupportedSyncControls?
    /// False: documents are shared by links, not item by item. So the values about a shared item are nil, as Apple's are of an item that is not.
    public internal(set) var ubiquitousItemIsShared: Bool?
    public var ubiquitousSharedItemCurrentUserRole: URLUbiquitousSharedItemRole? { nil }
    public var ubiquitousSharedItemCurrentUserPermissions: URLUbiquitousSharedItemPermissions? { nil }
    public var ubiquitousSharedItemOwnerNameComponents: PersonNameComponents? { nil }
    public var ubiquitousSharedItemMostRecentEditorNameComponents: PersonNameComponents? { nil }
}

extension URL {
    /// The state of the item in the cloud. Also of one whose bytes are not here; nothing is downloaded for it.
    ///
    /// Throws `CocoaError.fileReadNoSuchFile`, and what the daemon says.
    public func promisedItemResourceValues(forKeys keys: Set<URLResourceKey>) throws -> UbiquitousItemValues {
        let route = ClaimRouter.shared.route(self)
        var values = UbiquitousItemValues()
        guard WantedItem.exists(route.path) else {
            throw CoordinationFailure.error(.fileReadNoSuchFile, "There is nothing at \(path).", at: self)
        }
        if keys.contains(.isUbiquitousItemKey) { values.isUbiquitousItem = route.mount != nil }
        guard let mount = route.mount else { return values }
        do throws(DaemonFailure) {
            let request = StatusRequest(paths: [try mount.path(route.path)])
            guard case .status(let response) = try mount.call(.status(request)) else { return values }
            if let failure = response.failures.first { throw failure }
            if let item = response.items.first { values.take(item, keys, self) }
        } catch { throw error.cocoa(self) }
        return values
    }
}

extension UbiquitousItemValues {
    fileprivate mutating func take(_ item: ItemStatus, _ keys: Set<URLResourceKey>, _ url: URL) {
        func take<T>(_ key: URLResourceKey, _ path: WritableKeyPath<Self, T?>, _ value: T?) {
            if keys.contains(key) { self[keyPath: path] = value }
        }
        let status: URLUbiquitousItemDownloadingStatus =
            switch item.downloadingStatus {
            case .current: .current
            case .downloaded: .downloaded
            case .notDownloaded: .notDownloaded
            }
        take(.ubiquitousItemDownloadingStatusKey, \.ubiquitousItemDownloadingStatus, status)
        take(.ubiquitousItemIsDownloadingKey, \.ubiquitousItemIsDownloading, item.isDownloading)
        take(.ubiquitousItemDownloadRequestedKey, \.ubiquitousItemDownloadRequested, item.downloadRequested)
        take(
            .ubiquitousItemDownloadingErrorKey, \.ubiquitousItemDownloadingError, item.downloadingError?.cocoa(url))
        take(.ubiquitousItemIsUploadedKey, \.ubiquitousItemIsUploaded, item.isUploaded)
        take(.ubiquitousItemIsUploadingKey, \.ubiquitousItemIsUploading, item.isUploading)
        take(.ubiquitousItemUploadingErrorKey, \.ubiquitousItemUploadingError, item.uploadingError?.cocoa(url))
        take(
            .ubiquitousItemHasUnresolvedConflictsKey, \.ubiquitousItemHasUnresolvedConflicts,
            item.hasUnresolvedConflicts)
        take(.ubiquitousItemContainerDisplayNameKey, \.ubiquitousItemContainerDisplayName, item.container)
        take(.ubiquitousItemIsExcludedFromSyncKey, \.ubiquitousItemIsExcludedFromSync, item.isExcludedFromSync)
        take(.ubiquitousItemIsSyncPausedKey, \.ubiquitousItemIsSyncPaused, item.isSyncPaused)
        take(
            .ubiquitousItemSupportedSyncControlsKey, \.ubiquitousItemSupportedSyncControls,
            item.kind == .file ? [.pauseSync, .failUploadOnConflict] : [.pauseSync])
        take(.ubiquitousItemIsSharedKey, \.ubiquitousItemIsShared, false)
    }
}
