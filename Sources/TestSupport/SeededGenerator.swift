/// SplitMix64: the same numbers from the same seed, on every machine.
package struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    package init(seed: UInt64) { state = seed }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ word >> 30) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
        return word ^ word >> 31
    }

    package mutating func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &self) }

    package mutating func chance(_ percent: Int) -> Bool { number(0..<100) < percent }

    package mutating func pick<T>(_ choices: [T]) -> T? { choices.randomElement(using: &self) }

    package mutating func bytes(_ count: Int) -> [UInt8] {
        let words = UnsafeMutableBufferPointer<UInt64>.allocate(capacity: (count + 7) / 8)
        defer { words.deallocate() }
        var index = 0
        while index < words.count {
            words[index] = next()
            index += 1
        }
        return Array(UnsafeRawBufferPointer(words).prefix(count))
    }
}
