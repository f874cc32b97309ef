import Basics
import CloudProtocol
import TestSupport
import Testing

@Suite("Fields of requests")
struct FieldTests {
    @Test(
        "a single range of bytes is parsed",
        arguments: [
            ("bytes=0-0", ByteRange.from(0, to: 0)), ("bytes=5-", .from(5, to: nil)), ("bytes=-7", .last(7)),
            ("Bytes= 1 - 9 ", .from(1, to: 9)),
        ])
    func ranges(_ text: String, _ range: ByteRange) { #expect(ByteRange(text) == range) }

    @Test(
        "anything else is not a range",
        arguments: [
            "", "bytes", "bytes=", "bytes=-", "bytes=2-1", "bytes=+1-2", "bytes=0-1,3-4", "items=0-1", "bytes=a-b",
            "bytes=99999999999999999999-", "bytes=1-2-3",
        ])
    func noRanges(_ text: String) { #expect(ByteRange(text) == nil) }

    @Test("a range is clamped to the content, and a range past the end is empty")
    func resolved() {
        #expect(ByteRange.from(2, to: 100).resolved(in: 10) == 2..<10)
        #expect(ByteRange.from(0, to: .max).resolved(in: 10) == 0..<10)
        #expect(ByteRange.from(3, to: nil).resolved(in: 10) == 3..<10)
        #expect(ByteRange.last(4).resolved(in: 10) == 6..<10)
        #expect(ByteRange.last(40).resolved(in: 10) == 0..<10)
        for nothing in [ByteRange.from(10, to: nil), .last(0)] { #expect(nothing.resolved(in: 10) == nil) }
        #expect(ByteRange.last(1).resolved(in: 0) == nil)
    }

    @Test("versions are compared as older, newer, equal or not a version")
    func versions() {
        #expect(CloudProtocolVersion.relation(of: "1") == .same)
        #expect(CloudProtocolVersion.relation(of: "2") == .newer)
        for text in [nil, "", "0", "-1", "+1", "1.0", "one", "99999999999"] {
            #expect(CloudProtocolVersion.relation(of: text) == .foreign)
        }
    }

    @Test("a token is parsed as it was written, and similar text is not a token")
    func tokens() {
        var generator = SeededGenerator(seed: 3)
        let token = DeviceToken.random(device: 42, using: &generator)
        #expect(DeviceToken(token.text) == token)
        #expect(DeviceToken(authorization: "bearer \(token.text)") == token)
        for text in [
            "", "ubq_42_", "ubq_042_\(Hex.encode(token.secret))", "ubq_-1_\(Hex.encode(token.secret))",
            String(token.text.dropLast()), token.text + "00", "xyz" + token.text.dropFirst(3),
        ] { #expect(DeviceToken(text) == nil, "\(text)") }
        #expect(DeviceToken(authorization: "Basic \(token.text)") == nil)
        #expect(DeviceToken(authorization: token.text) == nil)
    }

    @Test("a code may be typed in any usual way")
    func codes() throws {
        var generator = SeededGenerator(seed: 4)
        for _ in 0..<50 {
            let code = SignInCode.random(using: &generator)
            #expect(code.description.utf8.count == 19)
            #expect(SignInCode(typed: code.description) == code)
            #expect(SignInCode(typed: " " + code.text.lowercased() + " ") == code)
        }
        #expect(SignInCode(typed: "oooo-iiii-llll-0000")?.text == "0000111111110000")
        for text in [
            "", "ABCD", "UUUU-UUUU-UUUU-UUUU", String(repeating: "A", count: 17), "ABCD-EFGH-JKMN-PQR\u{301}S",
        ] {
            #expect(SignInCode(typed: text) == nil, "\(text)")
        }
    }

    @Test("the key of an append has 32 digits")
    func keys() {
        var generator = SeededGenerator(seed: 5)
        let key = AppendKey.random(using: &generator)
        #expect(AppendKey(key.description) == key)
        for text in [
            "", "00", String(key.description.dropLast()), key.description + "0", String(repeating: "g", count: 32),
        ] {
            #expect(AppendKey(text) == nil)
        }
    }

    @Test("random text is parsed or rejected, and never crashes")
    func noise() {
        let seed = UInt64.random(in: 0 ... .max)
        print("seed \(seed)")
        var generator = SeededGenerator(seed: seed)
        let alphabet = Array("bytes=-0123456789,ubq_abcdef :/[]%@hHtTpPsS\u{301}é.".unicodeScalars)
        for _ in 0..<5_000 {
            var text = String.UnicodeScalarView()
            for _ in 0..<generator.number(0..<40) { text.append(alphabet[generator.number(0..<alphabet.count)]) }
            let string = String(text)
            _ = ByteRange(string)?.resolved(in: generator.next())
            _ = DeviceToken(authorization: string)
            _ = SignInCode(typed: string)
            _ = AppendKey(string)
            _ = CloudProtocolVersion.relation(of: string)
            _ = try? ServerAddress("http://" + string)
        }
    }
}
