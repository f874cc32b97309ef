/// Makes the device's state anew from the cloud. What was not uploaded is uploaded first where that works, and else becomes
/// documents in the folder `Recovered`.
package struct ResetRequest: Codable, Hashable, Sendable {
    package init() {}
}

/// It begins: the daemon unmounts, rebuilds and mounts again under the same process id. Its next ``MountStatus`` tells what was done.
package struct ResetResponse: Codable, Hashable, Sendable {
    /// Items whose changes the cloud had not been told when it began.
    package let pendingItems: UInt64
    package init(pendingItems: UInt64) { self.pendingItems = pendingItems }
}

/// What a rebuild of the state did, at the start of this daemon.
package struct RebuildStatus: Codable, Hashable, Sendable {
    package let reason: String
    /// Where the old state is, absolute.
    package let aside: String
    /// Where recovered documents show; nil when there were none.
    package let folder: MountPath?
    package let recovered: UInt64
    /// Files that stay with the old state, as nobody knows what they are.
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
package struct CheckRequest: Codable, Hashable, Sendable {
    /// Mend what can be mended.
    package let repair: Bool
    package init(repair: Bool = false) { self.repair = repair }

    package init(from decoder: any Decoder) throws {
        // Absent from what older programs send.
        repair = try decoder.container(keyedBy: CodingKeys.self).decodeIfPresent(Bool.self, forKey: .repair) ?? false
    }
}

package struct CheckResponse: Codable, Hashable, Sendable {
    package let checkedItems: UInt64
    package let checkedBytes: UInt64
    /// What is damaged, and still is after a repair; at most some hundreds.
    package let problems: [DaemonFailure]
    /// How many there are.
    package let problemCount: UInt64
    /// What was mended, and how; at most some hundreds.
    package let repairs: [DaemonFailure]
    package let repairCount: UInt64
    /// The database is damaged, and a reset mends it. Absent from what older daemons send.
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

/// How far a check is.
package struct CheckStatus: Codable, Hashable, Sendable {
    /// What it looks at, for people.
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
