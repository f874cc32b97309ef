package import Basics
package import CloudModel

/// Two devices that rewrite one document in answer to each other, as two programs do that each insist on a form of it: a formatter on one
/// device, another on the other. Equal bytes end such a loop by themselves; different bytes would go on for ever.
///
/// Decides by the document's recent versions alone, so it is the same after a restart. Uploads of the document are delayed, never dropped.
package struct RewriteLoop: Hashable, Sendable {
    /// One version of the document.
    package struct Version: Hashable, Sendable {
        package let author: DeviceID
        package let authorName: String
        /// When this device learned that another version took its place; of the current version, when it is looked at.
        package let superseded: Timestamp

        package init(author: DeviceID, authorName: String, superseded: Timestamp) {
            self.author = author
            self.authorName = authorName
            self.superseded = superseded
        }
    }

    /// Versions that are older say nothing about what programs do now.
    package static let window = Duration.seconds(900)
    /// Changes of author within the window that people who work together do not reach.
    package static let limit = 10
    static let firstPause = Duration.seconds(5)
    static let longestPause = Duration.seconds(300)

    /// How often the author changed within the window.
    package let turns: Int
    /// The name of the device that wrote the last version that is not of this device.
    package let otherDevice: String
    /// The next upload of the document begins no sooner.
    package let until: Timestamp

    /// - Parameters:
    ///   - versions: The superseded versions, the newest first.
    ///   - current: The version that the cloud has now.
    ///   - device: This device.
    /// - Returns: nil where the document is not written in turns, or this device has no part in it.
    package init?(superseded versions: [Version], current: Version, device: DeviceID, now: Timestamp) {
        let oldest = now.adding(.zero - Self.window)
        // What is said to be superseded in the future was noted before the clock was set back.
        let recent = versions.filter { $0.superseded >= oldest && $0.superseded <= now }
        let authors = [current] + recent
        guard authors.contains(where: { $0.author == device }),
            let other = authors.first(where: { $0.author != device })
        else { return nil }
        turns = zip(authors, authors.dropFirst()).count { $0.author != $1.author }
        guard turns >= Self.limit, let last = recent.first else { return nil }
        otherDevice = other.authorName
        let doublings = min(turns - Self.limit, 10)
        until = last.superseded.adding(min(Self.firstPause * (1 << doublings), Self.longestPause))
    }
}
