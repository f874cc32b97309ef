package import Basics

/// How long the contents of replaced and deleted documents stay in the cloud.
package struct Retention: Hashable, Sendable {
    package let days: Int64

    /// The default.
    package static let standard = Retention(days: 30)

    /// - Parameter days: A negative number counts as zero, a period above a hundred years as a hundred years.
    package init(days: Int64) { self.days = min(max(0, days), 36_500) }

    package var seconds: Int64 { days * 86_400 }
    package var duration: Duration { .seconds(seconds) }

    /// Returns the start of the period in which everything is kept.
    package func start(at now: Timestamp) -> Timestamp { now.adding(.seconds(-seconds)) }
}

extension Retention: CustomStringConvertible {
    package var description: String { days == 1 ? "1 day" : "\(days) days" }
}
