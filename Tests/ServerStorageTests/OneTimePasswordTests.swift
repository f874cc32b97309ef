import ServerStorage
import Testing

@Suite("Codes of an authenticator app (TOTP)")
struct OneTimePasswordTests {
    private let rfc = OneTimePassword(secret: Array("12345678901234567890".utf8))

    @Test("codes are those of RFC 4226, appendix D")
    func hotp() {
        let expected = [
            "755224", "287082", "359152", "969429", "338314", "254676", "287922", "162583", "399871", "520489",
        ]
        #expect((0..<10).map { rfc.code(counter: $0) } == expected)
    }

    @Test(
        "codes are those of RFC 6238, appendix B, which have eight digits",
        arguments: [
            (59, "94287082"), (1_111_111_109, "07081804"), (1_111_111_111, "14050471"), (1_234_567_890, "89005924"),
            (2_000_000_000, "69279037"), (20_000_000_000, "65353130"),
        ] as [(Int64, String)])
    func totp(time: Int64, code: String) {
        let step = OneTimePassword.step(at: time)
        #expect(rfc.code(counter: UInt64(step), digits: 8) == code)
        #expect(rfc.code(counter: UInt64(step)) == String(code.suffix(6)))
    }

    @Test("codes are accepted one step early or late, and never for a used step or an earlier one")
    func window() {
        let now: Int64 = 1_800_000_015
        let step = OneTimePassword.step(at: now)
        func code(_ offset: Int64) -> String { rfc.code(counter: UInt64(step + offset)) }
        for offset in Int64(-1)...1 { #expect(rfc.step(of: code(offset), at: now, after: nil) == step + offset) }
        #expect(rfc.step(of: code(-2), at: now, after: nil) == nil)
        #expect(rfc.step(of: code(2), at: now, after: nil) == nil)
        #expect(rfc.step(of: code(0), at: now, after: step) == nil)
        #expect(rfc.step(of: code(-1), at: now, after: step) == nil)
        #expect(rfc.step(of: code(1), at: now, after: step) == step + 1)
        for wrong in ["", "1", "\(code(0))0", "abcdef"] { #expect(rfc.step(of: wrong, at: now, after: nil) == nil) }
    }

    @Test("a secret and its address can be read by authenticator apps")
    func address() {
        #expect(rfc.text == "GEZD GNBV GY3T QOJQ GEZD GNBV GY3T QOJQ")
        #expect(
            rfc.address(account: "an na", issuer: "a&b")
                == "otpauth://totp/a%26b:an%20na?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=a%26b&algorithm=SHA1&digits=6&period=30"
        )
    }

    @Test("base 32 is encoded as in RFC 4648, section 10, without padding")
    func base32() {
        let vectors = [
            "": "", "f": "MY", "fo": "MZXQ", "foo": "MZXW6", "foob": "MZXW6YQ", "fooba": "MZXW6YTB",
            "foobar": "MZXW6YTBOI",
        ]
        for (plain, text) in vectors { #expect(Base32.encode(Array(plain.utf8)) == text) }
    }
}
