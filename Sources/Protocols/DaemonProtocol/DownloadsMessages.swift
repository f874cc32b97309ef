/// Requests how much was downloaded on the last days, and for which programs.
package struct DownloadsRequest: DaemonCall {
    package typealias Response = DownloadsResponse
    package static let verb = "downloads"

    /// The number of days up to today, at most ``DownloadsResponse/maximumDays``.
    package let days: Int
    package init(days: Int) { self.days = days }
}

package struct DownloadsResponse: CallResponse {
    package static let kind = "downloads"
    /// The number of days of which figures are kept.
    package static let maximumDays = 30

    /// The days on which something was downloaded, the latest first.
    package let days: [DownloadDay]
    package init(days: [DownloadDay]) { self.days = days }
}

/// What was downloaded on one day.
package struct DownloadDay: Codable, Hashable, Sendable {
    /// The day in the device's time zone: `2026-11-23`.
    package let day: String
    /// Who fetched it, the most bytes first.
    package let sources: [DownloadSource]

    package init(day: String, sources: [DownloadSource]) {
        self.day = day
        self.sources = sources
    }
}

/// What one program fetched on a day, or what was fetched for another cause.
package struct DownloadSource: Codable, Hashable, Sendable {
    /// `program`, `otherPrograms` (those that fetched least), `unknown`, `requested`, `package`, `kept`, `update` or `whenSpace`.
    package let cause: String
    /// The name of the program; only of the cause `program`.
    package let program: String?
    /// How often the first bytes of a document arrived.
    package let documents: UInt64
    /// The bytes that the cloud sent.
    package let bytes: UInt64

    package init(cause: String, program: String? = nil, documents: UInt64, bytes: UInt64) {
        self.cause = cause
        self.program = program
        self.documents = documents
        self.bytes = bytes
    }
}

/// Lets a program open documents that are not on this device, however many it looks into, until the daemon ends.
package struct AllowDownloadsRequest: DaemonCall {
    package typealias Response = DoneResponse
    package static let verb = "allowDownloads"

    /// The name, as ``MountStatus/refusedPrograms`` has it.
    package let program: String
    package init(program: String) { self.program = program }
}
