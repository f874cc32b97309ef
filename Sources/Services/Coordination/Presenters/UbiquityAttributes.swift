/// Which ubiquity attributes of an item changed or are observed.
package struct UbiquityAttributes: OptionSet, Hashable, Sendable {
    package let rawValue: UInt64
    package init(rawValue: UInt64) { self.rawValue = rawValue }

    package static let isUbiquitous = UbiquityAttributes(rawValue: 1 << 0)
    package static let downloadingStatus = UbiquityAttributes(rawValue: 1 << 1)
    package static let isDownloading = UbiquityAttributes(rawValue: 1 << 2)
    package static let downloadRequested = UbiquityAttributes(rawValue: 1 << 3)
    package static let downloadingError = UbiquityAttributes(rawValue: 1 << 4)
    package static let isUploaded = UbiquityAttributes(rawValue: 1 << 5)
    package static let isUploading = UbiquityAttributes(rawValue: 1 << 6)
    package static let uploadingError = UbiquityAttributes(rawValue: 1 << 7)
    package static let hasUnresolvedConflicts = UbiquityAttributes(rawValue: 1 << 8)
    package static let containerDisplayName = UbiquityAttributes(rawValue: 1 << 9)
    package static let isExcludedFromSync = UbiquityAttributes(rawValue: 1 << 10)
    package static let isSyncPaused = UbiquityAttributes(rawValue: 1 << 11)
    package static let supportedSyncControls = UbiquityAttributes(rawValue: 1 << 12)
    package static let sharing = UbiquityAttributes(rawValue: 1 << 13)

    package static let all = UbiquityAttributes(rawValue: .max)
}
