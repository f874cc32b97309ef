// The names of attributes and notifications are Apple's, so that existing source compiles.

public let NSMetadataItemFSNameKey = "kMDItemFSName"
public let NSMetadataItemDisplayNameKey = "kMDItemDisplayName"
public let NSMetadataItemURLKey = "kMDItemURL"
public let NSMetadataItemPathKey = "kMDItemPath"
public let NSMetadataItemFSSizeKey = "kMDItemFSSize"
public let NSMetadataItemFSCreationDateKey = "kMDItemFSCreationDate"
public let NSMetadataItemFSContentChangeDateKey = "kMDItemFSContentChangeDate"
public let NSMetadataItemContentTypeKey = "kMDItemContentType"
public let NSMetadataItemContentTypeTreeKey = "kMDItemContentTypeTree"
public let NSMetadataItemIsUbiquitousKey = "NSMetadataItemIsUbiquitousKey"
public let NSMetadataUbiquitousItemHasUnresolvedConflictsKey = "NSMetadataUbiquitousItemHasUnresolvedConflictsKey"
/// For a conflict version, the path of its document. Not part of Apple's API, whose queries leave conflict versions
/// out; queries of this library do so too unless their predicate uses this key.
public let NSMetadataUbiquitousItemConflictOfKey = "NSMetadataUbiquitousItemConflictOfKey"
public let NSMetadataUbiquitousItemDownloadingStatusKey = "NSMetadataUbiquitousItemDownloadingStatusKey"
public let NSMetadataUbiquitousItemIsDownloadingKey = "NSMetadataUbiquitousItemIsDownloadingKey"
public let NSMetadataUbiquitousItemIsUploadedKey = "NSMetadataUbiquitousItemIsUploadedKey"
public let NSMetadataUbiquitousItemIsUploadingKey = "NSMetadataUbiquitousItemIsUploadingKey"
public let NSMetadataUbiquitousItemPercentDownloadedKey = "NSMetadataUbiquitousItemPercentDownloadedKey"
public let NSMetadataUbiquitousItemPercentUploadedKey = "NSMetadataUbiquitousItemPercentUploadedKey"
public let NSMetadataUbiquitousItemDownloadingErrorKey = "NSMetadataUbiquitousItemDownloadingErrorKey"
public let NSMetadataUbiquitousItemUploadingErrorKey = "NSMetadataUbiquitousItemUploadingErrorKey"
public let NSMetadataUbiquitousItemDownloadRequestedKey = "NSMetadataUbiquitousItemDownloadRequestedKey"
public let NSMetadataUbiquitousItemIsExternalDocumentKey = "NSMetadataUbiquitousItemIsExternalDocumentKey"
public let NSMetadataUbiquitousItemContainerDisplayNameKey = "NSMetadataUbiquitousItemContainerDisplayNameKey"
public let NSMetadataUbiquitousItemURLInLocalContainerKey = "NSMetadataUbiquitousItemURLInLocalContainerKey"
public let NSMetadataUbiquitousItemIsSharedKey = "NSMetadataUbiquitousItemIsSharedKey"

// Attributes of individually shared items. This library has no such sharing, so no item has these.
public let NSMetadataUbiquitousSharedItemCurrentUserRoleKey = "NSMetadataUbiquitousSharedItemCurrentUserRoleKey"
public let NSMetadataUbiquitousSharedItemCurrentUserPermissionsKey =
    "NSMetadataUbiquitousSharedItemCurrentUserPermissionsKey"
public let NSMetadataUbiquitousSharedItemOwnerNameComponentsKey =
    "NSMetadataUbiquitousSharedItemOwnerNameComponentsKey"
public let NSMetadataUbiquitousSharedItemMostRecentEditorNameComponentsKey =
    "NSMetadataUbiquitousSharedItemMostRecentEditorNameComponentsKey"
public let NSMetadataUbiquitousSharedItemRoleOwner = "NSMetadataUbiquitousSharedItemRoleOwner"
public let NSMetadataUbiquitousSharedItemRoleParticipant = "NSMetadataUbiquitousSharedItemRoleParticipant"
public let NSMetadataUbiquitousSharedItemPermissionsReadOnly = "NSMetadataUbiquitousSharedItemPermissionsReadOnly"
public let NSMetadataUbiquitousSharedItemPermissionsReadWrite = "NSMetadataUbiquitousSharedItemPermissionsReadWrite"

/// Values of `NSMetadataUbiquitousItemDownloadingStatusKey`.
public let NSMetadataUbiquitousItemDownloadingStatusCurrent = "NSMetadataUbiquitousItemDownloadingStatusCurrent"
public let NSMetadataUbiquitousItemDownloadingStatusDownloaded = "NSMetadataUbiquitousItemDownloadingStatusDownloaded"
public let NSMetadataUbiquitousItemDownloadingStatusNotDownloaded =
    "NSMetadataUbiquitousItemDownloadingStatusNotDownloaded"

/// Items in the containers' `Documents` folders.
public let NSMetadataQueryUbiquitousDocumentsScope = "NSMetadataQueryUbiquitousDocumentsScope"
/// Items outside their container's `Documents` folder.
public let NSMetadataQueryUbiquitousDataScope = "NSMetadataQueryUbiquitousDataScope"
/// Documents outside containers: a mount has none.
public let NSMetadataQueryAccessibleUbiquitousExternalDocumentsScope =
    "NSMetadataQueryAccessibleUbiquitousExternalDocumentsScope"

/// Scopes outside containers, which are not indexed: a query finds nothing in them.
public let NSMetadataQueryUserHomeScope = "kMDQueryScopeHome"
public let NSMetadataQueryLocalComputerScope = "kMDQueryScopeComputer"
public let NSMetadataQueryNetworkScope = "kMDQueryScopeNetwork"
public let NSMetadataQueryIndexedLocalComputerScope = "kMDQueryScopeComputerIndexed"
public let NSMetadataQueryIndexedNetworkScope = "kMDQueryScopeNetworkIndexed"

/// Keys of the update notification, with arrays of ``NSMetadataItem``.
public let NSMetadataQueryUpdateAddedItemsKey = "kMDQueryUpdateAddedItems"
public let NSMetadataQueryUpdateChangedItemsKey = "kMDQueryUpdateChangedItems"
public let NSMetadataQueryUpdateRemovedItemsKey = "kMDQueryUpdateRemovedItems"
