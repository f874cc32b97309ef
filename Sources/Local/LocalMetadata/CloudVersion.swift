package import CloudModel

/// The part of the log's view of an item that status needs.
package struct CloudVersion: Sendable, Equatable {
    /// The present content; nil for folders, symlinks and announcements.
    package let content: ContentReference?
    package let version: VersionID
    /// The name of the device that made the content.
    package let device: String
}
