/// A transfer's progress, for status.
package struct TransferFractions: Sendable, Equatable {
    package var downloading: Double?
    package var uploading: Double?
    package init(downloading: Double? = nil, uploading: Double? = nil) {
        self.downloading = downloading
        self.uploading = uploading
    }
}
