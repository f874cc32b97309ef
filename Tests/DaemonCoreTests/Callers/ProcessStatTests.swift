import DaemonCore
import TestSupport
import Testing

@Suite("What the kernel shows of a process, as text")
struct ProcessStatTests {
    /// A real process's line, with another name.
    private static func line(_ name: [UInt8], policy: Int32 = 0, terminal: Int32 = 34816) -> [UInt8] {
        let tail = """
             S 311 4242 311 \(terminal) 4242 4194304 1012 0 0 0 3 1 0 0 20 0 1 0 98765 11550720 1280 18446744073709551615 \
            94 95 140 0 0 0 0 2 65536 1 0 0 17 1 0 \(policy) 0 0 0 1 2 3 4 5 6 7 0

            """
        return Array("4242 (".utf8) + name + Array((")" + tail).utf8)
    }

    @Test("the fields are found behind any name: spaces, parentheses, line breaks, bytes that are no text")
    func names() throws {
        var random = SeededGenerator(seed: 17)
        let special = Array(" ()\n\t)S 1 2\\".utf8)
        var names: [[UInt8]] = ["bash", ") R 1 (", "a b\nc", "((", "))", "", "(sd-pam)"].map { Array($0.utf8) }
        for _ in 0..<2_000 {
            names.append(
                (0..<random.number(0..<16)).map { _ in
                    random.chance(60) ? special[random.number(0..<special.count)] : UInt8(random.number(1..<256))
                })
        }
        for name in names {
            let stat = try #require(ProcessStat(parsing: Self.line(name)), "\(name)")
            #expect(stat.name == name && stat.id == 4242 && stat.parent == 311 && stat.terminal == 34816)
            #expect(stat.start == 98765 && stat.policy == 0 && !stat.isIdle)
        }
        #expect(ProcessStat(parsing: Self.line([], policy: 5, terminal: 0))?.isIdle == true)
    }

    @Test("a text that was cut off, or is of another form, is refused; random bytes never crash")
    func damaged() {
        let line = Self.line(Array("a b".utf8))
        let policy = line.count - Array(" 0 0 0 0 1 2 3 4 5 6 7 0\n".utf8).count
        for length in 0..<policy { #expect(ProcessStat(parsing: Array(line[..<length])) == nil, "\(length)") }
        var random = SeededGenerator(seed: 4)
        for _ in 0..<5_000 {
            var bytes = line
            for _ in 0..<random.number(1..<8) { bytes[random.number(0..<bytes.count)] = UInt8(random.number(0..<256)) }
            _ = ProcessStat(parsing: bytes)
            _ = ProcessStat(parsing: random.bytes(random.number(0..<64)))
        }
        #expect(ProcessStat(parsing: Array("1 (a) S 99999999999 0 0 0".utf8)) == nil)
    }
}
