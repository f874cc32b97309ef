import CloudModel

/// The limits for listing superseded versions.
package struct VersionLimits: Hashable, Sendable {
    /// The maximum number of versions of one document, the newest.
    package var count: Int
    /// The maximum time since another version replaced them.
    package var age: Duration

    /// The maximum number of versions of one document that a database keeps, whatever ``count`` says.
    package static let most = 1_000

    /// How long a database keeps versions at least, whatever ``age`` says: other devices list them, and a collection of garbage by this
    /// device keeps what its database has.
    package static let keptAge = Retention.standard.duration

    package init(count: Int = 10, age: Duration = keptAge) {
        self.count = count
        self.age = age
    }
}
