import Basics
import CloudModel

/// The known state of a log. Remote devices append at any time, so the log may be longer, but never shorter.
struct KnownLog: Equatable, Sendable {
    /// The greatest entry number seen; nil before the first search for the end.
    private(set) var end: UInt64?
    /// The digest of the log up to ``end``, if it was read.
    private(set) var digest: Digest?
    /// When the entry at ``end`` was last seen.
    private(set) var confirmed: Timestamp?
    /// The last segment read.
    private(set) var segment: UInt64?
    /// Missing or unreadable segments.
    private(set) var absentSegments: Set<UInt64> = []

    /// How long a writer relies on having seen the last entry. A log becomes shorter only if a person restores or
    /// deletes it.
    static let trust: Duration = .seconds(10)

    mutating func saw(_ number: UInt64, _ digest: Digest?, at now: Timestamp) {
        guard number >= end ?? 0 else { return }
        if number != end || digest != nil { self.digest = digest }
        (end, confirmed) = (number, now)
    }

    /// Returns whether the entry at ``end`` has been seen so recently that it need not be queried.
    func isConfirmed(at now: Timestamp) -> Bool {
        guard let confirmed else { return false }
        let age = now.duration(since: confirmed)
        return age >= .zero && age < Self.trust
    }

    /// Whether the segment is complete as far as known: its last entry was seen, or the preceding segment was read, so
    /// that it probably is.
    func mayHave(_ index: UInt64) -> Bool {
        guard !absentSegments.contains(index) else { return false }
        return isComplete(index) || (index > 0 && segment == index - 1)
    }

    func isComplete(_ index: UInt64) -> Bool { end ?? 0 >= LogSegment.last(of: index) }

    mutating func read(_ index: UInt64) { segment = index }

    mutating func missed(_ index: UInt64) {
        // An incomplete segment may appear later.
        if isComplete(index) { absentSegments.insert(index) }
        if segment.map({ $0 + 1 == index }) ?? false { segment = nil }
    }

    mutating func wrote(_ index: UInt64) { absentSegments.remove(index) }
}
