/// Requests the amount of downloads on the last days, by program.
package struct DownloadsRequest: DaemonCall {
    package typealias Response = DownloadsResponse
    package static let verb = "downloads"

    /// The number of days up to today, at most ``DownloadsResponse/maximumDays``.
    package let days: Int
    package init(days: Int) { self.days = days }
}

package struct DownloadsResponse: CallResponse {
    package static let kind = "downloads"
    /// The number of days with kept figures.
    package static let maximumDays = 30

    /// The days with downloads, latest first.
    package let days: [DownloadDay]
    package init(days: [DownloadDay]) { self.days = days }
}

/// The downloads of a day.
package struct DownloadDay: Codable, Hashable, Sendable {
    /// The day in the device's time zone: `2026-11-23`.
    package let day: String
    /// Their sources, the most bytes first.
    package let sources: [DownloadSource]

    package init(day: String, sources: [DownloadSource]) {
        self.day = day
        self.sources = sources
    }
}

/// A program's downloads on a day, or the downloads for a different cause.
package struct DownloadSource: Codable, Hashable, Sendable {
    /// `program`, `otherPrograms` (those with the fewest bytes), `unknown`, `requested`, `package`, `kept`, `update` or
    /// `whenSpace`.
    package let cause: String
    /// The name of the program; only of the cause `program`.
    package let program: String?
    /// How often the first bytes of a document arrived.
    package let documents: UInt64
    /// The bytes sent by the cloud.
    package let bytes: UInt64

    package init(cause: String, program: String? = nil, documents: UInt64, bytes: UInt64) {
        self.cause = cause
        self.program = program
        self.documents = documents
        self.bytes = bytes
    }
}

/// Lets a program open non-local documents, however many it looks into, until the daemon ends.
package struct AllowDownloadsRequest: DaemonCall {
    package typealias Response = DoneResponse
    package static let verb = "allowDownloads"

    /// The name, as ``MountStatus/refusedPrograms`` has it.
    package let program: String
    package init(program: String) { self.program = program }
}
