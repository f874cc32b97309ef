import TestSupport

/// Bytes of random length: mostly short, sometimes over several blocks of the disk.
struct SeededBytes {
    private var random: SeededGenerator

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    mutating func next() -> [UInt8] {
        let longest = random.pick([100, 100, 3000, 20_000]) ?? 100
        return random.bytes(random.number(1..<longest))
    }
}
