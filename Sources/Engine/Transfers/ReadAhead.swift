/// Decides how far to fetch ahead of a reader: further the longer it reads sequentially, not at all when it jumps.
struct ReadAhead: Sendable {
    private let maximum: Int
    private var window = 0
    /// The last chunk read.
    private var last: Int?
    /// The chunks still to be fetched.
    private(set) var wanted = 0..<0

    /// - Parameter maximum: the maximum number of chunks ahead.
    init(maximum: Int) { self.maximum = maximum }

    /// Notes a read. `count` is how many chunks the content has.
    mutating func read(_ chunks: Range<Int>, of count: Int) {
        guard let first = chunks.first, let end = chunks.last, end != last else { return }
        if follows(first) {
            window = min(maximum, max(1, window * 2))
            let start = max(chunks.upperBound, wanted.lowerBound)
            wanted = start..<max(start, min(count, chunks.upperBound + window))
        } else {
            window = 0
            wanted = chunks.upperBound..<chunks.upperBound
        }
        last = end
    }

    /// Takes the next chunk to fetch.
    mutating func popFirst() -> Int? {
        guard let first = wanted.first else { return nil }
        wanted = first + 1..<wanted.upperBound
        return first
    }

    /// Requests these chunks although no reader has reached them yet.
    mutating func prefetch(_ chunks: Range<Int>) { if wanted.isEmpty { wanted = chunks } }

    mutating func stop() {
        window = 0
        wanted = 0..<0
    }

    // The kernel's own read-ahead reorders reads slightly; this does not count as a jump.
    private func follows(_ first: Int) -> Bool { last.map { abs(first - $0) <= 2 } ?? (first == 0) }
}
