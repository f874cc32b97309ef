/// The result of checking a server.
package struct StorageReport: Hashable, Sendable, Codable {
    /// One piece of damage.
    package struct Finding: Hashable, Sendable, Codable {
        package enum Kind: String, Sendable, Codable {
            /// A row promises a chunk whose bytes are missing or have a different size.
            case lostChunk
            /// A chunk's bytes do not match its name.
            case damagedChunk
            /// A log lacks an entry, or has entries beyond its end.
            case logGap
            /// An account's recorded use differs from its actual use.
            case wrongSum
        }

        package let kind: Kind
        package let account: String
        /// Nil for a finding about a whole account.
        package let container: String?
        /// The name of a chunk, or the problem.
        package let what: String
        package internal(set) var isRepaired = false
    }

    /// The most findings listed by name; all are counted.
    package static let maximumFindings = 100

    package internal(set) var accounts = 0
    package internal(set) var containers = 0
    package internal(set) var entries: UInt64 = 0
    /// The number of compared chunks, and the bytes read of them.
    package internal(set) var chunks = 0
    package internal(set) var totalChunks = 0
    package internal(set) var readBytes: UInt64 = 0
    /// Chunks found lost or damaged by readers or an earlier check. Devices with these chunks send them again.
    package internal(set) var awaitedChunks = 0
    /// Files or objects without a row: of uploads under way, and left by crashes.
    package internal(set) var strays = 0
    package internal(set) var removedStrays = 0
    /// Whether strays were not removed because a backup or a collection was under way.
    package internal(set) var gaveWay = false
    /// The number of findings of each kind.
    package internal(set) var counts: [String: Int] = [:]
    /// The number of unrepaired findings.
    package internal(set) var unrepaired = 0
    package internal(set) var findings: [Finding] = []

    /// Whether everything was checked; false while the check is under way.
    package internal(set) var isComplete = false

    package var isWhole: Bool { unrepaired == 0 }

    mutating func add(_ finding: Finding) {
        counts[finding.kind.rawValue, default: 0] += 1
        if !finding.isRepaired { unrepaired += 1 }
        if findings.count < Self.maximumFindings { findings.append(finding) }
    }
}
