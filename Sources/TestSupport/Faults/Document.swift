/// Bytes naming their document and its generation, so a reader can check from the bytes alone whether they are
/// complete.
package enum Document {
    /// Returns whether a document is a journal. A journal only grows: its generation is its number of records. All
    /// other documents are replaced as a whole.
    package static func isJournal(_ name: String) -> Bool { name.hasPrefix("journal") }

    package static func bytes(_ name: String, _ generation: Int) -> [UInt8] {
        if isJournal(name) { return (1...max(1, generation)).flatMap { record(name, $0) } }
        let size = size(name, generation)
        var bytes = Array("\(name) \(generation) \(size)\n".utf8)
        bytes.reserveCapacity(size + 80)
        var chance = UInt64(truncatingIfNeeded: generation) &* 0x9E37_79B9_7F4A_7C15 | 1
        // Pseudorandom bytes, so blocks differ and compress badly.
        while bytes.count < size {
            chance = chance &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            withUnsafeBytes(of: chance) { bytes.append(contentsOf: $0) }
        }
        bytes.removeLast(max(0, bytes.count - size))
        return bytes
    }

    package static func record(_ name: String, _ number: Int) -> [UInt8] { Array("\(name) record \(number)\n".utf8) }

    /// Returns the size in bytes: from a few to about 70,000, and several chunks for names beginning with `big`.
    private static func size(_ name: String, _ generation: Int) -> Int {
        let chance = name.utf8.reduce(UInt64(generation) &* 31 &+ 7) { ($0 ^ UInt64($1)) &* 0x0100_0000_01B3 }
        if name.hasPrefix("big") { return 2_000_000 + Int(chance >> 20) % 1_500_000 }
        let most = [200, 4_096, 5_000, 20_000, 70_000][Int(chance >> 33) % 5]
        return name.utf8.count + 40 + Int(chance >> 17) % most
    }

    /// The result of examining a file's bytes.
    package enum Finding: Equatable, Sendable {
        /// There is no file, or a file without bytes.
        case absent, empty
        case whole(String, Int)
        /// A prefix of that generation.
        case cut(String, Int)
        /// Bytes in an order that no writer wrote.
        case torn
    }

    package static func examine(_ bytes: [UInt8]) -> Finding {
        guard !bytes.isEmpty else { return .empty }
        guard let end = bytes.firstIndex(of: UInt8(ascii: "\n")) else { return .torn }
        let words = String(decoding: bytes[..<end], as: UTF8.self).split(separator: " ").map(String.init)
        guard words.count == 3, let last = Int(words[2]) else { return .torn }
        let name = words[0]
        if isJournal(name) { return examineJournal(name, bytes) }
        guard let generation = Int(words[1]), last < 100_000_000 else { return .torn }
        let wanted = Self.bytes(name, generation)
        if bytes == wanted { return .whole(name, generation) }
        return wanted.starts(with: bytes) ? .cut(name, generation) : .torn
    }

    private static func examineJournal(_ name: String, _ bytes: [UInt8]) -> Finding {
        var number = 0
        var rest = bytes[...]
        while !rest.isEmpty {
            let next = record(name, number + 1)
            guard rest.starts(with: next) else { return next.starts(with: rest) ? .cut(name, number + 1) : .torn }
            rest = rest.dropFirst(next.count)
            number += 1
        }
        return .whole(name, number)
    }
}
