/// One fact of a document's state in the cloud. Extended attributes, queries and presenters are views of these facts; ``DocumentState`` has
/// their values.
package enum DocumentFact: String, CaseIterable, Hashable, Sendable {
    case downloadingStatus, isDownloading, percentDownloaded, downloadRequested, downloadingError
    case isUploaded, isUploading, percentUploaded, uploadingError
    case hasUnresolvedConflicts, isExcludedFromSync, isSyncPaused

    package enum Kind: Sendable { case flag, percentage, text }

    package enum Value: Hashable, Sendable {
        case flag(Bool)
        /// 0 to 100.
        case percentage(Double)
        case text(String)
    }

    package var kind: Kind {
        switch self {
        case .isDownloading, .downloadRequested, .isUploaded, .isUploading, .hasUnresolvedConflicts,
            .isExcludedFromSync,
            .isSyncPaused:
            .flag
        case .percentDownloaded, .percentUploaded: .percentage
        case .downloadingStatus, .downloadingError, .uploadingError: .text
        }
    }

    /// What it is called in `user.ubiquity.NAME`, and first in queries.
    package var shortName: String { self == .downloadingStatus ? "status" : rawValue }

    /// Whether presenters are notified of its changes: a percentage changes too often.
    package var isObservable: Bool { kind != .percentage }

    /// Its place among all facts, for sets of them.
    package var position: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}
