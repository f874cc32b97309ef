package import Basics

/// The synced attributes; each is merged separately.
package struct ItemAttributes: Hashable, Sendable {
    /// Permission bits, `07777` of `st_mode`.
    package var permissions: UInt16
    package var modified: Timestamp
    package var created: Timestamp
    /// `user.*` extended attributes, by full name.
    package var extended: [String: [UInt8]]

    package init(
        permissions: UInt16, modified: Timestamp, created: Timestamp, extended: [String: [UInt8]] = [:]
    ) {
        self.permissions = permissions
        self.modified = modified
        self.created = created
        self.extended = extended
    }
}
