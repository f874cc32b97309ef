import Basics
import Testing

@Suite("Percent-encoding")
struct PercentCodingTests {
    @Test("every byte survives encoding and decoding, whichever bytes are left unescaped")
    func roundTrip() {
        let all = Array(UInt8.min...UInt8.max)
        for isUppercase in [true, false] {
            let text = PercentCoding.encode(all, uppercase: isUppercase) { (0x61...0x7A).contains($0) }
            #expect(text.hasPrefix("%00%01"))
            #expect(text.hasSuffix(isUppercase ? "%FF" : "%ff"))
            #expect(PercentCoding.decode(text.utf8) == all)
        }
    }

    @Test("a broken escape is rejected, or kept as it is", arguments: ["%", "a%4", "%zz", "%+1", "%%41"])
    func broken(text: String) {
        #expect(PercentCoding.decode(text.utf8) == nil)
        let literal = text == "%%41" ? "%A" : text
        #expect(PercentCoding.decode(text.utf8, brokenEscape: .literal) == Array(literal.utf8))
    }

    @Test("a plus sign means a space only in forms")
    func plus() {
        #expect(PercentCoding.decode("a+b%2B".utf8) == Array("a+b+".utf8))
        #expect(PercentCoding.decode("a+b%2B".utf8, plusIsSpace: true) == Array("a b+".utf8))
    }
}
