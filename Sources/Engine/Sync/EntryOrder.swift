import Basics
import CloudModel

/// The log's entries that changed a package, in order: those that set contents by their positions, and those that only
/// removed files by the time when this device folded them. Part of ``PackageTimeline``.
struct EntryOrder {
    /// An entry known only by its time.
    struct Removal {
        let time: Timestamp
        let device: String?
        /// The removal comes after this entry, which set a removed content.
        let after: LogSequence
    }

    let sequences: [LogSequence]
    /// When this device folded an entry, derived from the content it replaced.
    let known: [LogSequence: Timestamp]
    /// For each of ``sequences``, the first known time of the entries behind it.
    let nextKnown: [Timestamp]
    let removals: [Removal]
    private let estimates: [LogSequence: Timestamp]
    private let byTime: [Timestamp: [LogSequence]]

    /// - Parameter paths: The contents of each path in the order of the log.
    init(_ paths: [[PackageContent]]) {
        let contents = paths.joined()
        sequences = Set(contents.map(\.version.sequence)).sorted()
        estimates = Dictionary(contents.map { ($0.version.sequence, $0.modified) }, uniquingKeysWith: max)
        known = Self.known(paths, sequences)
        nextKnown = Self.nextKnown(sequences, known)
        byTime = Dictionary(grouping: known.keys.sorted()) { [known] in known[$0] ?? .zero }
        var removals: [Timestamp: Removal] = [:]
        for content in contents {
            guard let ended = content.ended,
                byTime[ended]?.contains(where: { $0 > content.version.sequence }) != true
            else { continue }
            let other = removals[ended]
            removals[ended] = Removal(
                time: ended, device: content.endedBy ?? other?.device,
                after: max(other?.after ?? .zero, content.version.sequence))
        }
        self.removals = Array(removals.values)
    }

    /// Returns the time of an entry: the known time, or an estimate from the modification times of its files.
    func estimate(_ index: Int) -> Timestamp {
        known[sequences[index]] ?? min(estimates[sequences[index]] ?? .zero, nextKnown[index])
    }

    /// Returns the entry that replaced a content at that time.
    func successor(of content: PackageContent, _ ended: Timestamp) -> LogSequence? {
        byTime[ended]?.first { $0 > content.version.sequence }
    }

    /// Returns whether a removal is listed before the entry at `index` of ``sequences``; the entries before that one
    /// precede the removal.
    func isBefore(_ removal: Removal, _ index: Int) -> Bool {
        removal.after < sequences[index] && known[sequences[index]].map { removal.time < $0 } ?? false
    }

    private static func known(
        _ paths: [[PackageContent]], _ sequences: [LogSequence]
    ) -> [LogSequence: Timestamp] {
        var known: [LogSequence: Timestamp] = [:]
        // A program that saves a package as a new folder creates new items under the old names.
        var candidates: [LogSequence: Set<Timestamp>] = [:]
        for contents in paths {
            for (old, new) in zip(contents, contents.dropFirst()) {
                guard let ended = old.ended else { continue }
                let sequence = new.version.sequence
                if old.item == new.item {
                    known[sequence] = max(known[sequence] ?? ended, ended)
                } else if new.modified <= ended {
                    candidates[sequence, default: []].insert(ended)
                }
            }
        }
        // An entry may seem older than its predecessor because a content in between was removed from the history, or
        // the clock was set back.
        var latest = Timestamp(nanoseconds: .min)
        for sequence in sequences {
            guard let time = known[sequence] else { continue }
            if time < latest { known[sequence] = nil }
            latest = max(latest, time)
        }
        let after = nextKnown(sequences, known)
        var before = Timestamp(nanoseconds: .min)
        for (index, sequence) in sequences.enumerated() {
            if let time = known[sequence] {
                before = time
            } else if let times = candidates[sequence], times.count == 1, let time = times.first, before <= time,
                time <= after[index]
            {
                known[sequence] = time
                before = time
            }
        }
        return known
    }

    private static func nextKnown(_ sequences: [LogSequence], _ known: [LogSequence: Timestamp]) -> [Timestamp] {
        var next = Timestamp(nanoseconds: .max)
        var times: [Timestamp] = []
        for sequence in sequences.reversed() {
            times.append(next)
            next = known[sequence] ?? next
        }
        return times.reversed()
    }
}
