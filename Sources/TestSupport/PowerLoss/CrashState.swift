import TestSupport

/// A possible outcome of a power cut: the first `count` requests arrived, and of the unflushed ones only some were
/// done.
struct CrashState: CustomStringConvertible {
    /// How much of an unflushed write is on stable storage.
    enum Part {
        case whole
        /// The stored sectors of the write, by number.
        case sectors(Set<Int>)
    }

    /// The unit of atomic disk writes, in bytes.
    static let sector = 512

    let number: Int
    /// The number of requests arrived before the power cut.
    let count: Int
    /// The number of certainly completed requests.
    let settled: Int
    /// The completed parts of the requests between `settled` and `count`, by the number of the request.
    let parts: [Int: Part]

    var description: String {
        let torn = parts.values.filter { if case .sectors = $0 { true } else { false } }.count
        return "state \(number): \(count) requests, \(count - settled) of them not flushed, "
            + "\(parts.count) of these done, \(torn) of these torn"
    }

    /// Chooses state number `number` of a log.
    init(number: Int, seed: UInt64, log: CrashLog) {
        var random = SeededGenerator(seed: seed &* 1_000_003 &+ UInt64(number))
        self.number = number
        let end = random.number(0..<log.records.count + 1)
        switch random.number(0..<10) {
        case 0..<3:
            count = log.lastFlush(before: end)
            (settled, parts) = (count, [:])
        case 3..<5: (count, settled, parts) = (end, end, [:])
        default:
            count = end
            settled = log.lastFlush(before: end)
            parts = Self.parts(settled..<count, log, &random)
        }
    }

    private static func parts(
        _ open: Range<Int>, _ log: CrashLog, _ random: inout SeededGenerator
    ) -> [Int: Part] {
        var parts: [Int: Part] = [:]
        let (share, tornShare) = (random.pick([20, 50, 80, 95]) ?? 50, random.pick([0, 10, 50]) ?? 0)
        for index in open {
            guard case .write(let place, let bytes) = log.records[index], random.chance(share) else { continue }
            let sectors = (bytes.count + sector - 1) / sector
            // ext4 assumes atomic writes of its superblock, in the first block: without an intact superblock nothing
            // can be mounted.
            guard random.chance(tornShare), sectors > 1, place >= 4096 else {
                parts[index] = .whole
                continue
            }
            // Half of the torn writes are cut short, the rest have holes.
            let kept =
                random.chance(50)
                ? Set(0..<random.number(1..<sectors)) : Set((0..<sectors).filter { _ in random.chance(50) })
            parts[index] = .sectors(kept)
        }
        return parts
    }
}
