import Basics
import Testing

@Suite("Hexadecimal text")
struct HexTests {
    @Test("every byte is encoded as two lower-case digits and decoded to itself")
    func bytes() {
        let all = Array(UInt8.min...UInt8.max)
        let text = Hex.encode(all)
        #expect(text.hasPrefix("000102") && text.hasSuffix("fdfeff") && text.utf8.count == 512)
        #expect(Hex.decode(text) == all)
        #expect(Hex.decode(text.uppercased()) == all)
        #expect(all.map { Hex.encode($0) }.joined() == text)
    }

    @Test("a number is encoded with all of its sixteen digits")
    func numbers() {
        #expect(Hex.encode(UInt64(0)) == "0000000000000000")
        #expect(Hex.encode(UInt64(0x1_2ab)) == "00000000000012ab")
        #expect(Hex.encode(UInt64.max) == "ffffffffffffffff")
    }

    @Test("text that is not hexadecimal is rejected", arguments: ["0", "0g", "+1", " 1", "0x12", "１２", "é1"])
    func refused(text: String) { #expect(Hex.decode(text) == nil) }

    @Test("an empty text decodes to no bytes") func empty() { #expect(Hex.decode("") == []) }
}
