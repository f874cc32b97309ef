package import Basics
package import CloudModel

/// A content that lost against the current one.
package struct ConflictVersion: Hashable, Sendable {
    package var version: VersionID
    package var content: FileContent
    package var modified: Timestamp
    package var author: DeviceID
    package var authorName: String
    /// The base digest of the later edit, the merge base of both; nil when unknown.
    package var base: Digest?

    package init(
        version: VersionID, content: FileContent, modified: Timestamp, author: DeviceID, authorName: String,
        base: Digest?
    ) {
        self.version = version
        self.content = content
        self.modified = modified
        self.author = author
        self.authorName = authorName
        self.base = base
    }
}
