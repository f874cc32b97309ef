import Basics
import CloudModel
import Foundation

/// The extended attributes `user.ubiquity.*`, one fact each, in plain text.
package enum StatusAttribute: String, CaseIterable, Sendable {
    case status
    case isDownloading
    case percentDownloaded
    case downloadRequested
    case downloadingError
    case isUploaded
    case isUploading
    case percentUploaded
    case uploadingError
    case hasUnresolvedConflicts
    case conflictOf
    case isExcludedFromSync
    case pin
    case isSyncPaused
    case itemID
    case version
    case device
    case container
    /// All of them at once.
    case json
    /// Set to `1` to fetch the bytes.
    case download
    /// Set to `1` to drop the local bytes.
    case evict

    package static let prefix = "user.ubiquity."

    package init?(name: String) {
        guard name.hasPrefix(Self.prefix) else { return nil }
        self.init(rawValue: String(name.dropFirst(Self.prefix.count)))
    }

    /// The attribute's text; nil where it has none (no error, not a conflict).
    package func value(in status: DocumentStatus) -> String? {
        switch self {
        case .status: status.downloading.rawValue
        case .isDownloading: Self.flag(status.isDownloading)
        case .percentDownloaded: Self.percent(status.percentDownloaded)
        case .downloadRequested: Self.flag(status.isDownloadRequested)
        case .downloadingError: status.downloadingError
        case .isUploaded: Self.flag(status.isUploaded)
        case .isUploading: Self.flag(status.isUploading)
        case .percentUploaded: Self.percent(status.percentUploaded)
        case .uploadingError: status.uploadingError
        case .hasUnresolvedConflicts: Self.flag(status.hasUnresolvedConflicts)
        case .conflictOf: status.conflictOf
        case .isExcludedFromSync: Self.flag(status.isExcluded)
        case .pin: status.pin.text
        case .isSyncPaused: Self.flag(status.isPaused)
        case .itemID: status.item.description
        case .version: status.version?.description
        case .device: status.device
        case .container: status.container.text
        case .json: Self.json(status)
        case .download, .evict: nil
        }
    }

    private static func flag(_ value: Bool) -> String { value ? "1" : "0" }

    private static func percent(_ value: Double) -> String { String(Int(clamping: value)) }

    /// An object with a member per attribute that has a value; flags and percentages as such, the rest as text.
    private static func json(_ status: DocumentStatus) -> String {
        var members: [String: any Sendable] = [:]
        for attribute in allCases where attribute != .json {
            guard let value = attribute.value(in: status) else { continue }
            members[attribute.rawValue] = attribute.typed(value)
        }
        let options: JSONSerialization.WritingOptions = [.sortedKeys, .withoutEscapingSlashes]
        // Flags, whole numbers and text can always be written.
        guard let data = try? JSONSerialization.data(withJSONObject: members, options: options) else { return "{}" }
        return String(decoding: data, as: UTF8.self)
    }

    private func typed(_ value: String) -> any Sendable {
        switch self {
        case .isDownloading, .downloadRequested, .isUploaded, .isUploading, .hasUnresolvedConflicts,
            .isExcludedFromSync, .isSyncPaused:
            value == "1"
        case .percentDownloaded, .percentUploaded: Int(value) ?? 0
        default: value
        }
    }
}
