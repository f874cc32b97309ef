/// The limits for listing superseded versions.
package struct VersionLimits: Hashable, Sendable {
    /// The maximum number of versions of one document, the newest.
    package var count: Int
    /// The maximum time since another version replaced them.
    package var age: Duration

    /// The maximum number of versions of one document that a database keeps, whatever ``count`` says.
    package static let most = 1_000

    package init(count: Int = 10, age: Duration = .seconds(30 * 86_400)) {
        self.count = count
        self.age = age
    }
}
