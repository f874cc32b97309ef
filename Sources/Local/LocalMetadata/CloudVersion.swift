package import CloudModel

/// What status needs of the log's view of an item.
package struct CloudVersion: Sendable, Equatable {
    /// What the present content is; nil for folders, symlinks and announcements.
    package let content: ContentReference?
    package let version: VersionID
    /// Name of the device that the content came from.
    package let device: String
}
