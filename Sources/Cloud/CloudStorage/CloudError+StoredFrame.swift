extension CloudError {
    /// - Parameter place: The file or the object, as `file /path`.
    package init(_ problem: StoredFrame.Problem, in place: String) {
        let restore = "Restore it from a backup of the cloud."
        switch problem {
        case .truncated: self.init(.damaged, "The \(place) is cut short. \(restore)")
        case .checksum: self.init(.damaged, "The \(place) does not have the bytes that were written. \(restore)")
        case .notOurs, .tooLong:
            self.init(.damaged, "The \(place) is something else than its name says. \(restore)")
        case .newer(let version):
            self.init(
                .tooNew,
                "This container needs a newer version of ubiquity: the \(place) has version \(version), this program knows "
                    + "\(StoredFrame.version). Nothing was changed. Install a newer version; sync of it goes on then.")
        }
    }
}
