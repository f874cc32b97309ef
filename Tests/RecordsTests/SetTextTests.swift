import Records
import TestSupport
import Testing

@Suite("Sets in a column")
struct SetTextTests {
    @Test(
        "a JSON array of texts and whole numbers is a set",
        arguments: [
            (#"["a", "b" ,7,-3 ]"#, #"[-3,7,"a","b"]"#), ("[]", "[]"), ("", "[]"), (" [ 1,1 ] ", "[1]"),
            (#"["\u00e9\ud83d\ude00\n\"\\\/"]"#, "[\"é😀\\u000a\\\"\\\\/\"]"),
        ])
    func members(text: String, canonical: String) throws {
        let members = try #require(SetText.members(of: .text(text)))
        #expect(SetText.text(of: members) == .text(canonical))
        #expect(SetText.members(of: .text(canonical)) == members)
    }

    @Test(
        "anything else is none",
        arguments: [
            "[1", "[1,]", "[1.5]", "[01]", "[-0]", "[null]", "[[1]]", "{}", #"["a]"#, #"["\ud800"]"#, #"["\u12"]"#,
            "[1]x",
            "[99999999999999999999]", "[\"\n\"]", #"["\x"]"#, #"["\u+123"]"#,
        ])
    func others(text: String) {
        #expect(SetText.members(of: .text(text)) == nil)
    }

    @Test("NULL is the empty set, and numbers and bytes are no sets")
    func values() {
        #expect(SetText.members(of: .null) == [])
        #expect(SetText.members(of: .integer(1)) == nil && SetText.members(of: .blob([91, 93])) == nil)
    }

    @Test("random bytes are a set that is read back, or none")
    func random() {
        let seed = UInt64.random(in: 0..<1 << 40)
        print("seed \(seed)")
        var random = SeededGenerator(seed: seed)
        let letters = Array(#"[]",\u0d81a1- "#.utf8)
        for _ in 0..<20_000 {
            let text = (0..<random.number(0..<16)).compactMap { _ in random.pick(letters) }
            guard let members = SetText.members(of: .text(text)) else { continue }
            #expect(SetText.members(of: SetText.text(of: members)) == members)
        }
    }
}
