import CloudModel
import DaemonProtocol
public import Foundation

/// Whether an item's bytes are local. Apple's name: `URLUbiquitousItemDownloadingStatus`.
public struct URLUbiquitousItemDownloadingStatus: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The item is downloaded, and is the newest known version.
    public static let current = URLUbiquitousItemDownloadingStatus(
        rawValue: "NSURLUbiquitousItemDownloadingStatusCurrent")
    /// The item is downloaded, but a newer version is known.
    public static let downloaded = URLUbiquitousItemDownloadingStatus(
        rawValue: "NSURLUbiquitousItemDownloadingStatusDownloaded")
    public static let notDownloaded = URLUbiquitousItemDownloadingStatus(
        rawValue: "NSURLUbiquitousItemDownloadingStatusNotDownloaded")

    init(_ status: DocumentState.Downloading) {
        self =
            switch status {
            case .current: .current
            case .downloaded: .downloaded
            case .notDownloaded: .notDownloaded
            }
    }
}

/// The current user's role for a shared item. Apple's name: `URLUbiquitousSharedItemRole`.
public struct URLUbiquitousSharedItemRole: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public static let owner = URLUbiquitousSharedItemRole(rawValue: "NSURLUbiquitousSharedItemRoleOwner")
    public static let participant = URLUbiquitousSharedItemRole(rawValue: "NSURLUbiquitousSharedItemRoleParticipant")
}

/// The current user's permissions for a shared item. Apple's name: `URLUbiquitousSharedItemPermissions`.
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
    public static let ubiquitousItemIsExcludedFromSyncKey = URLResourceKey(.isExcludedFromSync)
    public static let ubiquitousItemIsSyncPausedKey = URLResourceKey(.isSyncPaused)
    /// Deprecated by Apple in favour of the downloading status.
    public static let ubiquitousItemIsDownloadedKey = URLResourceKey(rawValue: "NSURLUbiquitousItemIsDownloadedKey")
    public static let ubiquitousItemPercentDownloadedKey = URLResourceKey(.percentDownloaded)
    public static let ubiquitousItemPercentUploadedKey = URLResourceKey(.percentUploaded)

    /// Every key about an item's state in a cloud.
    static let ubiquitousKeys: Set<URLResourceKey> = observableUbiquityKeys.union(
        DocumentFact.allCases.map { URLResourceKey($0) }
    ).union([
        .ubiquitousItemSupportedSyncControlsKey, .ubiquitousItemIsSharedKey, .ubiquitousSharedItemCurrentUserRoleKey,
        .ubiquitousSharedItemCurrentUserPermissionsKey, .ubiquitousSharedItemOwnerNameComponentsKey,
        .ubiquitousSharedItemMostRecentEditorNameComponentsKey, .ubiquitousItemIsDownloadedKey,
    ])
}

/// An item's state in the cloud at the time of the request. A value is nil if it was not requested, or if the item is
/// in no container.
///
/// This type replaces Apple's `URLResourceValues`, which only Foundation can fill; ``ItemResourceValues`` has both.
public struct UbiquitousItemValues: Sendable {
    /// Creates an empty set of values to pass to ``Foundation/URL/setResourceValues(_:)``.
    public init() {}

    /// Values of facts, in their keys' types: `Bool`, `Double`, ``URLUbiquitousItemDownloadingStatus`` or `NSError`.
    private var facts: [DocumentFact: any Sendable] = [:]

    private subscript<Value: Sendable>(fact: DocumentFact) -> Value? {
        get { facts[fact] as? Value }
        set { facts[fact] = newValue }
    }

    public internal(set) var isUbiquitousItem: Bool?
    public var ubiquitousItemDownloadingStatus: URLUbiquitousItemDownloadingStatus? { self[.downloadingStatus] }
    public var ubiquitousItemIsDownloading: Bool? { self[.isDownloading] }
    public var ubiquitousItemDownloadRequested: Bool? { self[.downloadRequested] }
    public var ubiquitousItemDownloadingError: NSError? { self[.downloadingError] }
    public var ubiquitousItemIsUploaded: Bool? { self[.isUploaded] }
    public var ubiquitousItemIsUploading: Bool? { self[.isUploading] }
    public var ubiquitousItemUploadingError: NSError? { self[.uploadingError] }
    public var ubiquitousItemHasUnresolvedConflicts: Bool? { self[.hasUnresolvedConflicts] }
    public internal(set) var ubiquitousItemContainerDisplayName: String?
    /// Whether the item stays on this device. This is the only settable value.
    public var ubiquitousItemIsExcludedFromSync: Bool? {
        get { self[.isExcludedFromSync] }
        set { self[.isExcludedFromSync] = newValue }
    }
    public var ubiquitousItemIsSyncPaused: Bool? { self[.isSyncPaused] }
    /// The item's sync controls. A folder can be paused with everything in it; only a file's upload can be made to fail
    /// on a conflict.
    public internal(set) var ubiquitousItemSupportedSyncControls: NSFileManagerSupportedSyncControls?
    public internal(set) var ubiquitousItemIsDownloaded: Bool?
    /// From 0 to 100.
    public var ubiquitousItemPercentDownloaded: Double? { self[.percentDownloaded] }
    /// From 0 to 100.
    public var ubiquitousItemPercentUploaded: Double? { self[.percentUploaded] }
    /// Always false: documents are shared by links, not item by item. The values about a shared item are therefore nil,
    /// as Apple's are for an unshared item.
    public internal(set) var ubiquitousItemIsShared: Bool?
    public var ubiquitousSharedItemCurrentUserRole: URLUbiquitousSharedItemRole? { nil }
    public var ubiquitousSharedItemCurrentUserPermissions: URLUbiquitousSharedItemPermissions? { nil }
    public var ubiquitousSharedItemOwnerNameComponents: PersonNameComponents? { nil }
    public var ubiquitousSharedItemMostRecentEditorNameComponents: PersonNameComponents? { nil }

    /// The non-nil values, by their keys.
    public var allValues: [URLResourceKey: Any] {
        let others: [(URLResourceKey, Any?)] = [
            (.isUbiquitousItemKey, isUbiquitousItem),
            (.ubiquitousItemContainerDisplayNameKey, ubiquitousItemContainerDisplayName),
            (.ubiquitousItemSupportedSyncControlsKey, ubiquitousItemSupportedSyncControls),
            (.ubiquitousItemIsDownloadedKey, ubiquitousItemIsDownloaded),
            (.ubiquitousItemIsSharedKey, ubiquitousItemIsShared),
        ]
        let all = facts.map { (URLResourceKey($0), $1 as Any?) } + others
        return Dictionary(all.compactMap { key, value in value.map { (key, $0) } }) { first, _ in first }
    }
}

extension MountAuthority {
    /// Returns the daemon's status for an item; nil if the daemon has none.
    func status(of path: String, _ url: URL) throws -> ItemStatus? {
        do throws(DaemonFailure) {
            let request = StatusRequest(paths: [try self.path(path)])
            let response = try call(request)
            if let failure = response.failures.first { throw failure }
            return response.items.first
        } catch { throw error.cocoa(url) }
    }
}

extension URL {
    /// Returns the item's state in the cloud, whether or not its bytes are local. Nothing is downloaded.
    ///
    /// - Throws: `CocoaError.fileReadNoSuchFile`, and the daemon's errors.
    public func promisedItemResourceValues(forKeys keys: Set<URLResourceKey>) throws -> UbiquitousItemValues {
        let route = ClaimRouter.shared.route(self)
        var values = UbiquitousItemValues()
        guard WantedItem.exists(route.path) else {
            throw CoordinationFailure.error(.fileReadNoSuchFile, "\(path) does not exist.", at: self)
        }
        if keys.contains(.isUbiquitousItemKey) { values.isUbiquitousItem = route.mount != nil }
        guard let mount = route.mount else { return values }
        if let item = try mount.status(of: route.path, self) { values.take(item, keys, self) }
        return values
    }
}

extension UbiquitousItemValues {
    mutating func take(_ item: ItemStatus, _ keys: Set<URLResourceKey>, _ url: URL) {
        for fact in DocumentFact.allCases where keys.contains(URLResourceKey(fact)) {
            facts[fact] = Self.value(of: fact, in: item, url)
        }
        func take<T>(_ key: URLResourceKey, _ path: WritableKeyPath<Self, T?>, _ value: T?) {
            if keys.contains(key) { self[keyPath: path] = value }
        }
        take(.ubiquitousItemContainerDisplayNameKey, \.ubiquitousItemContainerDisplayName, item.container)
        take(
            .ubiquitousItemSupportedSyncControlsKey, \.ubiquitousItemSupportedSyncControls,
            Self.controls(of: item))
        take(.ubiquitousItemIsDownloadedKey, \.ubiquitousItemIsDownloaded, item.downloading != .notDownloaded)
        take(.ubiquitousItemIsSharedKey, \.ubiquitousItemIsShared, false)
    }

    private static func value(of fact: DocumentFact, in item: ItemStatus, _ url: URL) -> (any Sendable)? {
        switch fact.field {
        case .flag(let path): item.state[keyPath: path]
        case .percentage(let path): item.state[keyPath: path]
        case .downloading(let path): URLUbiquitousItemDownloadingStatus(item.state[keyPath: path])
        case .error: item.failure(fact)?.cocoa(url)
        }
    }

    private static func controls(of item: ItemStatus) -> NSFileManagerSupportedSyncControls {
        switch item.kind {
        case .file: [.pauseSync, .failUploadOnConflict]
        default: [.pauseSync]
        }
    }
}
