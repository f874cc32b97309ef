/// Damage, or a repair.
package struct Finding: Hashable, Sendable {
    /// The affected document, as names from the mount's root; empty if no document is affected, or if it is unknown.
    package let path: [String]
    /// The problem or the repair: a clause without a period.
    package let what: String
    /// The advice, in whole sentences.
    package let advice: String?

    package init(_ what: String, path: [String] = [], advice: String? = nil) {
        self.path = path
        self.what = what
        self.advice = advice
    }
}

/// The result of a check. Lists are truncated where they would grow without bound; the counts are exact.
package struct CheckReport: Sendable {
    package var items: UInt64 = 0
    package var bytes: UInt64 = 0
    package private(set) var problems: [Finding] = []
    package private(set) var problemCount: UInt64 = 0
    package private(set) var repairs: [Finding] = []
    package private(set) var repairCount: UInt64 = 0
    /// Whether only a rebuild of the device's state repairs its damaged database.
    package private(set) var needsRebuild = false
    private static let longest = 300

    package init() {}

    package mutating func found(_ finding: Finding) {
        problemCount += 1
        if problems.count < Self.longest { problems.append(finding) }
    }

    /// Records damage of the database itself.
    mutating func foundInDatabase(_ what: String, path: [String]) {
        needsRebuild = true
        found(
            Finding(
                what, path: path,
                advice: "Run `ubiquity repair`: it rebuilds the state from the cloud and loses no edit."))
    }

    package mutating func repaired(_ finding: Finding) {
        repairCount += 1
        if repairs.count < Self.longest { repairs.append(finding) }
    }
}

/// How far a check has progressed.
package struct CheckProgress: Sendable {
    package var stage: String
    package var bytes: UInt64
    package var total: UInt64
    package var problems: UInt64
}
