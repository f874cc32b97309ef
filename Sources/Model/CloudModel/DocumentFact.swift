/// One fact of a document's state in the cloud. Extended attributes, messages, queries, presenters and the library's keys are views of these
/// facts; ``DocumentState`` has their values.
package enum DocumentFact: String, CaseIterable, Hashable, Sendable {
    case downloadingStatus, isDownloading, percentDownloaded, downloadRequested, downloadingError
    case isUploaded, isUploading, percentUploaded, uploadingError
    case hasUnresolvedConflicts, isExcludedFromSync, isSyncPaused

    package enum Kind: Sendable {
        case flag, percentage, text
        /// A text that is there only if something failed.
        case error
    }

    package enum Value: Hashable, Sendable {
        case flag(Bool)
        /// 0 to 100.
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

    /// The facts that are errors.
    package static let errors = allCases.filter { $0.kind == .error }

    /// Whether presenters are notified of its changes: a percentage changes too often.
    package var isObservable: Bool { kind != .percentage }

    /// Whether a program may set its extended attribute to another value.
    package var isSettable: Bool { self == .isExcludedFromSync || self == .isSyncPaused }

    /// Its place among all facts, for sets of them.
    package var position: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

/// What a fact is called. The key in messages is the raw value; the other names are made of it.
extension DocumentFact {
    package static let attributePrefix = "user.ubiquity."

    /// What it is called in `user.ubiquity.NAME`, and first in queries.
    package var shortName: String { self == .downloadingStatus ? "status" : rawValue }

    package var attributeName: String { Self.attributePrefix + shortName }

    /// The names in predicates and sort descriptors, the first for listings.
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
