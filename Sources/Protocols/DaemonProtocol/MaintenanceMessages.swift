/// Rebuilds the device's state from the cloud. What was not uploaded is uploaded first if possible, and otherwise becomes
/// documents in the folder `Recovered`.
package struct ResetRequest: DaemonCall {
    package typealias Response = ResetResponse
    package static let verb = "reset"

    package init() {}
}

/// The reset begins: the daemon unmounts, rebuilds and mounts again under the same process id. Its next ``MountStatus`` reports the result.
package struct ResetResponse: CallResponse {
    package static let kind = "reset"

    /// The number of items whose changes were not in the cloud when the reset began.
    package let pendingItems: UInt64
    package init(pendingItems: UInt64) { self.pendingItems = pendingItems }
}

/// The result of a rebuild of the state at the start of this daemon.
package struct RebuildStatus: Codable, Hashable, Sendable {
    package let reason: String
    /// Where the old state is, absolute.
    package let aside: String
    /// The folder of the recovered documents; nil when there were none.
    package let folder: MountPath?
    package let recovered: UInt64
    /// The number of files that stay with the old state because it is unknown what they are.
    package let keptAside: UInt64
    /// The same in words.
    package let summary: String

    package init(
        reason: String, aside: String, folder: MountPath?, recovered: UInt64, keptAside: UInt64, summary: String
    ) {
        self.reason = reason
        self.aside = aside
        self.folder = folder
        self.recovered = recovered
        self.keptAside = keptAside
        self.summary = summary
    }
}

/// Verifies what this device and its cloud keep: the database against itself, bytes against digests, the log entry by entry.
package struct CheckRequest: DaemonCall {
    package typealias Response = CheckResponse
    package static let verb = "check"

    /// Whether to repair what can be repaired.
    package let repair: Bool
    package init(repair: Bool = false) { self.repair = repair }

    package init(from decoder: any Decoder) throws {
        // Absent in requests of older programs.
        repair = try decoder.container(keyedBy: CodingKeys.self).decodeIfPresent(Bool.self, forKey: .repair) ?? false
    }
}

package struct CheckResponse: CallResponse {
    package static let kind = "check"

    package let checkedItems: UInt64
    package let checkedBytes: UInt64
    /// What is damaged, and still is after a repair; at most a few hundred entries.
    package let problems: [DaemonFailure]
    /// How many problems there are in total.
    package let problemCount: UInt64
    /// What was repaired, and how; at most a few hundred entries.
    package let repairs: [DaemonFailure]
    package let repairCount: UInt64
    /// Whether the database is damaged, which a reset repairs. Absent in responses of older daemons.
    package let needsReset: Bool?

    package init(
        checkedItems: UInt64, checkedBytes: UInt64, problems: [DaemonFailure], problemCount: UInt64,
        repairs: [DaemonFailure] = [], repairCount: UInt64 = 0, needsReset: Bool = false
    ) {
        self.checkedItems = checkedItems
        self.checkedBytes = checkedBytes
        self.problems = problems
        self.problemCount = problemCount
        self.repairs = repairs
        self.repairCount = repairCount
        self.needsReset = needsReset
    }
}

/// The progress of a check.
package struct CheckStatus: Codable, Hashable, Sendable {
    /// What it is checking, as readable text.
    package let stage: String
    package let completedBytes: UInt64
    package let totalBytes: UInt64
    package let problems: UInt64

    package init(stage: String, completedBytes: UInt64, totalBytes: UInt64, problems: UInt64) {
        self.stage = stage
        self.completedBytes = completedBytes
        self.totalBytes = totalBytes
        self.problems = problems
    }
}
