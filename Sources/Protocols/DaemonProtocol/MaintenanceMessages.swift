/// Rebuilds the device's state from the cloud. Pending changes are uploaded first if possible, and otherwise become documents in the folder
/// `Recovered`.
package struct ResetRequest: DaemonCall {
    package typealias Response = ResetResponse
    package static let verb = "reset"

    package init() {}
}

/// Confirms that the reset begins: the daemon unmounts, rebuilds and mounts again under the same process id. Its next
/// ``MountStatus`` reports the result.
package struct ResetResponse: CallResponse {
    package static let kind = "reset"

    /// The number of items with changes not in the cloud when the reset began.
    package let pendingItems: UInt64
    package init(pendingItems: UInt64) { self.pendingItems = pendingItems }
}

/// Moves the device to a different cloud, into which its own was copied (`ubiquity cloud move`). Changes are uploaded
/// first, as far as possible soon; the rest are uploaded to the new cloud.
package struct MoveCloudRequest: DaemonCall {
    package typealias Response = MoveCloudResponse
    package static let verb = "moveCloud"

    /// The address of the new cloud.
    package let cloud: String
    package init(cloud: String) { self.cloud = cloud }
}

/// Confirms that the daemon unmounts, copies additions from the old cloud, and mounts again with the new one, under the
/// same process id. If that fails it mounts with the old one; its next ``MountStatus`` has an error with the new
/// cloud's address as its path.
package struct MoveCloudResponse: CallResponse {
    package static let kind = "moveCloud"
    package init() {}
}

/// The result of a rebuild of the state at the start of this daemon.
package struct RebuildStatus: Codable, Hashable, Sendable {
    package let reason: String
    /// The absolute path of the old state.
    package let aside: String
    /// The folder of the recovered documents; nil when there were none.
    package let folder: MountPath?
    package let recovered: UInt64
    /// The number of unidentifiable files left with the old state.
    package let keptAside: UInt64
    /// The result in words.
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

/// Verifies the data on this device and in its cloud: the database's consistency, bytes against digests, the log entry
/// by entry.
package struct CheckRequest: DaemonCall {
    package typealias Response = CheckResponse
    package static let verb = "check"

    /// Whether to repair the repairable problems.
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
    /// The remaining problems; at most a few hundred entries.
    package let problems: [DaemonFailure]
    /// The total number of problems.
    package let problemCount: UInt64
    /// The repaired problems, and how; at most a few hundred entries.
    package let repairs: [DaemonFailure]
    package let repairCount: UInt64
    /// Whether the database is damaged and needs a reset. Absent in responses of older daemons.
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
    /// The current stage, as readable text.
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
