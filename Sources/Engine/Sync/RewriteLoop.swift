package import Basics
package import CloudModel

/// Two devices rewriting a document in response to each other, for example through two formatters with conflicting
/// styles. Equal bytes end such a loop; different bytes would continue it forever.
///
/// Decides from the document's recent versions alone, so the result is the same after a restart. Uploads of the
/// document are delayed, never dropped.
package struct RewriteLoop: Hashable, Sendable {
    /// A version of the document.
    package struct Version: Hashable, Sendable {
        package let author: DeviceID
        package let authorName: String
        /// When this device saw it replaced; for the current version, now.
        package let superseded: Timestamp

        package init(author: DeviceID, authorName: String, superseded: Timestamp) {
            self.author = author
            self.authorName = authorName
            self.superseded = superseded
        }
    }

    /// The time span of versions to consider; older versions say nothing about the programs' current behavior.
    package static let window = Duration.seconds(900)
    /// A number of author changes within the window beyond the reach of people working together.
    package static let limit = 10
    static let firstPause = Duration.seconds(5)
    static let longestPause = Duration.seconds(300)

    /// The number of author changes within the window.
    package let turns: Int
    /// The name of the device that wrote the newest remote version.
    package let otherDevice: String
    /// The earliest time of the document's next upload.
    package let until: Timestamp

    /// - Parameters:
    ///   - versions: The superseded versions, the newest first.
    ///   - current: The cloud's current version.
    ///   - device: This device.
    /// - Returns: nil if the devices do not take turns writing the document, or this device is not involved.
    package init?(superseded versions: [Version], current: Version, device: DeviceID, now: Timestamp) {
        let oldest = now.adding(.zero - Self.window)
        // A version superseded in the future was recorded before the clock was set back.
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
