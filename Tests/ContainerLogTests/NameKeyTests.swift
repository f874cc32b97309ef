import CloudModel
import ContainerLog
import Testing

@Suite("Name keys")
struct NameKeyTests {
    private func key(_ text: String) throws -> NameKey { NameKey(try ItemName(text), folding: true) }

    @Test(
        "Folding equates names that differ in case or composition",
        arguments: [
            ("README", "readme"), ("\u{E9}", "E\u{301}"), ("STRASSE", "stra\u{DF}e"), ("\u{1E9E}", "\u{DF}"),
            ("\u{3A3}", "\u{3C2}"), ("\u{3C3}", "\u{3C2}"), ("\u{212A}", "k"), ("\u{1100}\u{1161}", "\u{AC00}"),
            ("\u{1FB3}", "\u{1FBC}"), ("\u{FB01}", "FI"),
        ])
    func joins(left: String, right: String) throws {
        #expect(try key(left) == key(right))
    }

    @Test(
        "Folding distinguishes names that only look alike",
        arguments: [("a", "\u{430}"), ("i", "\u{131}"), ("e", "\u{E9}"), ("1", "\u{B9}")])
    func keepsApart(left: String, right: String) throws {
        #expect(try key(left) != key(right))
    }

    @Test("A name that is not UTF-8 is compared by its bytes")
    func notUTF8() throws {
        let name = try ItemName(bytes: [0x41, 0xFF])
        #expect(NameKey(name, folding: true).bytes == [0x41, 0xFF])
    }

    @Test("Folding is idempotent for every character")
    func idempotent() throws {
        for value in UInt32(1)...0x1_FFFF where value != 0x2F {
            guard let scalar = Unicode.Scalar(value), let name = try? ItemName(String(Character(scalar))) else {
                continue
            }
            let once = NameKey(name, folding: true)
            let twice = NameKey(try ItemName(bytes: once.bytes), folding: true)
            if once != twice { Issue.record("U+\(String(value, radix: 16)) folds on") }
        }
    }
}
