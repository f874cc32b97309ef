/// One fact of a document's state in the cloud. Extended attributes, messages, queries, presenters and the library's keys are views of
/// these facts; ``DocumentState`` has their values.
package enum DocumentFact: String, CaseIterable, Hashable, Sendable {
    case downloadingStatus, isDownloading, percentDownloaded, downloadRequested, downloadingError
    case isUploaded, isUploading, percentUploaded, uploadingError
    case hasUnresolvedConflicts, isExcludedFromSync, isSyncPaused

    package enum Kind: Sendable {
        case flag, percentage, text
        /// A text set only after a failure.
        case error
    }

    package enum Value: Hashable, Sendable {
        case flag(Bool)
        /// A percentage from 0 to 100.
        case percentage(Double)
        case text(String)
    }

    package var kind: Kind {
        switch field {
        case .flag: .flag
        case .percentage: .percentage
        case .downloading: .text
        case .error: .error
        }
    }

    /// The error facts.
    package static let errors = allCases.filter { $0.kind == .error }

    /// Whether presenters are notified of its changes: percentages change too often.
    package var isObservable: Bool { kind != .percentage }

    /// Whether a program may set its extended attribute.
    package var isSettable: Bool { self == .isExcludedFromSync || self == .isSyncPaused }

    /// Its index among all facts, for sets of them.
    package var position: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

/// The names of a fact. The key in messages is the raw value; the other names are derived from it.
extension DocumentFact {
    package static let attributePrefix = "user.ubiquity."

    /// The name in `user.ubiquity.NAME`, and the preferred one in queries.
    package var shortName: String { self == .downloadingStatus ? "status" : rawValue }

    package var attributeName: String { Self.attributePrefix + shortName }

    /// The names in predicates and sort descriptors; the first is used in listings.
    package var queryNames: [String] {
        switch self {
        case .isExcludedFromSync: ["isExcluded", rawValue]
        // Apple has no such attribute.
        case .isSyncPaused: [rawValue]
        default: [shortName, rawValue, "NSMetadataUbiquitousItem\(capitalised)Key"]
        }
    }

    /// The raw value of its `URLResourceKey`.
    package var resourceKey: String { "NSURLUbiquitousItem\(capitalised)Key" }

    private var capitalised: String { rawValue.prefix(1).uppercased() + rawValue.dropFirst() }
}
