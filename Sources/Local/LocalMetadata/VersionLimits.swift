/// How long superseded versions are listed.
package struct VersionLimits: Hashable, Sendable {
    /// Of one document, the newest.
    package var count: Int
    /// After something else took their place.
    package var age: Duration

    /// What a database keeps of one document, whatever ``count`` says.
    package static let most = 1_000

    package init(count: Int = 10, age: Duration = .seconds(30 * 86_400)) {
        self.count = count
        self.age = age
    }
}
