import DaemonProtocol
public import Foundation

extension ObservableAttribute {
    /// The name that Foundation has for it.
    var key: URLResourceKey {
        switch self {
        case .isUbiquitousItem: .isUbiquitousItemKey
        case .downloadingStatus: .ubiquitousItemDownloadingStatusKey
        case .isDownloading: .ubiquitousItemIsDownloadingKey
        case .downloadRequested: .ubiquitousItemDownloadRequestedKey
        case .downloadingError: .ubiquitousItemDownloadingErrorKey
        case .isUploaded: .ubiquitousItemIsUploadedKey
        case .isUploading: .ubiquitousItemIsUploadingKey
        case .uploadingError: .ubiquitousItemUploadingErrorKey
        case .hasUnresolvedConflicts: .ubiquitousItemHasUnresolvedConflictsKey
        case .containerDisplayName: .ubiquitousItemContainerDisplayNameKey
        case .isExcludedFromSync: .ubiquitousItemIsExcludedFromSyncKey
        case .isSyncPaused: .ubiquitousItemIsSyncPausedKey
        }
    }
}

extension URLResourceKey {
    /// What a presenter observes by default: every state that an item has in the cloud.
    public static var observableUbiquityKeys: Set<URLResourceKey> { Set(ObservableAttribute.allCases.map(\.key)) }
}
