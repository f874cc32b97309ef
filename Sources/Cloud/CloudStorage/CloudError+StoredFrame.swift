extension CloudError {
    /// - Parameter place: The file or the object, as `file /path`.
    package init(_ problem: StoredFrame.Problem, in place: String) {
        let restore = "Restore it from a backup of the cloud."
        switch problem {
        case .truncated: self.init(.damaged, "The \(place) is truncated. \(restore)")
        case .checksum: self.init(.damaged, "The \(place) is damaged: its checksum does not match. \(restore)")
        case .notOurs, .tooLong:
            self.init(.damaged, "The content of the \(place) does not match its name. \(restore)")
        case .newer(let version):
            self.init(
                .tooNew,
                "This container needs a newer version of ubiquity: the \(place) has version \(version), this program supports "
                    + "\(StoredFrame.version). Nothing was changed. Install a newer version to continue syncing it.")
        }
    }
}
