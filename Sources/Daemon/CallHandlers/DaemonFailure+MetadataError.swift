package import DaemonProtocol
package import LocalMetadata

extension DaemonFailure {
    /// Creates a database's failure.
    ///
    /// - Parameter path: The state directory holding it.
    package init(_ error: MetadataError, path: String) {
        let code: Code =
            switch error.code {
            case .damaged: .damaged
            case .tooNew: .versionMismatch
            case .noSpace: .diskFull
            case .notDurable, .unusable: .failed
            }
        self.init(code, sentences: error.message, path: path)
    }
}
