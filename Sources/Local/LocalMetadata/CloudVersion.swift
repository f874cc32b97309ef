package import CloudModel

/// The log's view of an item, as far as status needs it.
package struct CloudVersion: Sendable, Equatable {
    /// The current content; nil for folders, symlinks and announcements.
    package let content: ContentReference?
    package let version: VersionID
    /// The name of the content's author device.
    package let device: String
}
