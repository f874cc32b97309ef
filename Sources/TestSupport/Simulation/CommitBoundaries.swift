import Foundation

/// A write-ahead log, parsed for the ends of its commits (https://www.sqlite.org/fileformat2.html#walformat).
struct CommitBoundaries {
    let bytes: Data
    /// The length of the log after each commit, in bytes; the first is its length without commits.
    let ends: [Int]

    init(_ bytes: Data) {
        self.bytes = Data(bytes)
        var ends = [min(32, bytes.count)]
        if bytes.count >= 32 {
            let page = Self.number(bytes, at: 8)
            var frame = 32
            while frame + 24 + page <= bytes.count {
                // Frames of an earlier log may follow.
                guard bytes[frame + 8..<frame + 16] == bytes[16..<24] else { break }
                frame += 24 + page
                // The last frame of a commit holds the size of the database.
                if Self.number(bytes, at: frame - page - 20) != 0 { ends.append(frame) }
            }
        }
        self.ends = ends
    }

    private static func number(_ bytes: Data, at offset: Int) -> Int {
        bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
    }

    /// Returns the log after a power cut: everything synced, some of the later commits, and a torn part of the next
    /// commit.
    ///
    /// - Parameter choose: Picks a number below its argument. It gets the same arguments regardless of the pages in the
    ///   commits, which differ between a new and a used database.
    func cut(synced: Int, choose: (Int) -> Int) -> Data {
        let open = ends.filter { $0 > synced }
        let kept = choose(open.count + 1), share = choose(1_000), zeroes = choose(600)
        let end = kept == 0 ? max(synced, ends[0]) : open[kept - 1]
        let next = kept < open.count ? open[kept] : bytes.count
        var rest = Data(bytes.prefix(end + (next - end) * share / 1_000))
        // These bytes were being written to the disk.
        for index in rest.indices.suffix(min(rest.count - end, zeroes)) { rest[index] = 0 }
        return rest
    }
}
