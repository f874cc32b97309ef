/// Decides when readers of a placeholder get all of it: once they have taken more than a look at its head.
///
/// Indexers, thumbnailers and `file(1)` look at the head of every file of a folder. If a first read fetched the whole file, a look into a
/// folder would download the folder.
struct TailRule: Sendable {
    /// So many bytes, or this share of the content, are more than a look.
    static let bytes: UInt64 = 256 << 10
    static let share: UInt64 = 4
    /// A reader that continues past this number of bytes reads in sequence.
    static let sequence: UInt64 = 128 << 10
    /// Readers that jump to more places than these are searching the content.
    static let places = 8

    private let size: UInt64
    /// The bytes read, as disjoint ranges; at most ``places`` plus one.
    private var taken: [Range<UInt64>] = []
    private(set) var wantsRest = false

    init(size: UInt64) { self.size = size }

    /// Notes a read of these bytes.
    mutating func read(_ range: Range<UInt64>) {
        let range = range.clamped(to: 0..<size)
        guard !wantsRest, !range.isEmpty else { return }
        let joined = taken.filter { $0.lowerBound <= range.upperBound && range.lowerBound <= $0.upperBound }
        let whole = joined.reduce(range) {
            min($0.lowerBound, $1.lowerBound)..<max($0.upperBound, $1.upperBound)
        }
        let readsOn = joined.contains { $0.lowerBound <= range.lowerBound && $0.upperBound < range.upperBound }
        taken.removeAll { joined.contains($0) }
        taken.append(whole)
        let total = taken.reduce(0) { $0 + ($1.upperBound - $1.lowerBound) }
        wantsRest =
            total > Self.bytes || total > size / Self.share || taken.count > Self.places
            || readsOn && whole.upperBound - whole.lowerBound > Self.sequence
    }
}
