import CloudModel

/// The limits for listing superseded versions.
package struct VersionLimits: Hashable, Sendable {
    /// The maximum number of a document's versions, the newest.
    package var count: Int
    /// The maximum time since they were replaced.
    package var age: Duration

    /// The maximum number of a document's versions in a database, regardless of ``count``.
    package static let most = 1_000

    /// How long a database keeps versions at least, regardless of ``age``: other devices list them, and a collection of
    /// garbage by this device keeps the versions in its database.
    package static let keptAge = Retention.standard.duration

    package init(count: Int = 10, age: Duration = keptAge) {
        self.count = count
        self.age = age
    }
}
