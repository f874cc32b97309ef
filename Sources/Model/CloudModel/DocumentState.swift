/// The state of a document in the cloud. Local bytes, cloud bytes and conflicts are independent of each other.
package struct DocumentState: Hashable, Sendable {
    package enum Downloading: String, Codable, Sendable, CaseIterable {
        /// The document is on this device in its newest known version.
        case current
        /// The document is on this device, but a newer version is known.
        case downloaded
        case notDownloaded

        package func worse(_ other: Downloading) -> Downloading {
            Self.allCases.last { $0 == self || $0 == other } ?? self
        }
    }

    package var downloading: Downloading
    package var isDownloading = false
    /// 0 to 100.
    package var percentDownloaded: Double = 100
    package var isDownloadRequested = false
    package var downloadingError: String?
    package var isUploaded: Bool
    package var isUploading = false
    /// 0 to 100.
    package var percentUploaded: Double
    package var uploadingError: String?
    package var hasUnresolvedConflicts = false
    package var isExcluded = false
    package var isPaused = false
    /// The size in bytes; for a package the total of its files.
    package var size: UInt64 = 0

    package init(downloading: Downloading = .current, isUploaded: Bool, percentUploaded: Double = 0) {
        self.downloading = downloading
        self.isUploaded = isUploaded
        self.percentUploaded = isUploaded ? 100 : percentUploaded
    }

    /// - Returns: The value of a fact; nil if it has none (no error).
    package subscript(fact: DocumentFact) -> DocumentFact.Value? {
        switch fact.field {
        case .flag(let path): .flag(self[keyPath: path])
        case .percentage(let path): .percentage(self[keyPath: path])
        case .downloading(let path): .text(self[keyPath: path].rawValue)
        case .error(let path): self[keyPath: path].map { .text($0) }
        }
    }
}

extension DocumentFact {
    /// The state's property for a fact's value.
    package enum Field {
        case flag(WritableKeyPath<DocumentState, Bool>)
        case percentage(WritableKeyPath<DocumentState, Double>)
        case downloading(WritableKeyPath<DocumentState, DocumentState.Downloading>)
        case error(WritableKeyPath<DocumentState, String?>)
    }

    package var field: Field {
        switch self {
        case .downloadingStatus: .downloading(\.downloading)
        case .isDownloading: .flag(\.isDownloading)
        case .percentDownloaded: .percentage(\.percentDownloaded)
        case .downloadRequested: .flag(\.isDownloadRequested)
        case .downloadingError: .error(\.downloadingError)
        case .isUploaded: .flag(\.isUploaded)
        case .isUploading: .flag(\.isUploading)
        case .percentUploaded: .percentage(\.percentUploaded)
        case .uploadingError: .error(\.uploadingError)
        case .hasUnresolvedConflicts: .flag(\.hasUnresolvedConflicts)
        case .isExcludedFromSync: .flag(\.isExcluded)
        case .isSyncPaused: .flag(\.isPaused)
        }
    }
}
