package import CloudModel
package import DaemonProtocol

extension ItemStatus.DownloadingStatus {
    /// As the wire has it.
    package init(_ status: DocumentState.Downloading) {
        self =
            switch status {
            case .current: .current
            case .downloaded: .downloaded
            case .notDownloaded: .notDownloaded
            }
    }
}
