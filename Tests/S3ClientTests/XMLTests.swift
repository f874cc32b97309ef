import TestSupport
import Testing

@testable import S3Client

@Suite("XML of object stores")
struct XMLTests {
    private func parse(_ text: String) throws -> XMLElement { try XMLElement(parsing: Array(text.utf8)) }

    @Test("declarations, comments, attributes, prefixes and entities are parsed as XML specifies")
    func forms() throws {
        let text = """
            <?xml version="1.0" encoding="UTF-8"?>
            <!-- a > comment -->
            <s3:Error xmlns:s3='http://a/?b>c' id = "1"><Code>No&lt;Such&#x4B;ey&amp;&#233;</Code><Empty/><Also></Also></s3:Error>
            """
        let root = try parse(text)
        #expect(root.name == "Error")
        #expect(root["Code"] == "No<SuchKey&é")
        #expect(root["Empty"] == "")
        #expect(root["Also"] == "")
        #expect(root["Missing"] == nil)
    }

    @Test(
        "malformed XML is refused",
        arguments: [
            "", " ", "text", "<a>", "</a>", "<a></b>", "<a/><b/>", "<a/>x", "<a b></a>", "<a b=c></a>", "<a>&nbsp;</a>",
            "<a>&#0;</a>", "<a>&#xD800;</a>", "<a>&#+65;</a>", "<a>&#x110000;</a>", "<a>&amp</a>",
            "<!DOCTYPE a [<!ENTITY b \"c\">]><a>&b;</a>", "<a><![CDATA[b]]></a>", "<a><!-- -</a>", "<1/>", "<a/", "<a",
            "<?xml", "< a/>",
        ])
    func refused(text: String) {
        #expect(throws: XMLError.self) { try parse(text) }
    }

    @Test("bytes that are not UTF-8 are refused")
    func encoding() {
        #expect(throws: XMLError.self) { try XMLElement(parsing: Array("<a>".utf8) + [0xFF] + Array("</a>".utf8)) }
    }

    @Test("depth and number of elements are limited")
    func bounds() throws {
        func nested(_ depth: Int) -> String {
            String(repeating: "<a>", count: depth) + String(repeating: "</a>", count: depth)
        }
        #expect(try parse(nested(XMLElement.maximumDepth)).name == "a")
        #expect(throws: XMLError.tooDeep) { try parse(nested(XMLElement.maximumDepth + 1)) }
        let many = "<a>" + String(repeating: "<b/>", count: XMLElement.maximumElements) + "</a>"
        #expect(throws: XMLError.tooManyElements) { try parse(many) }
    }

    private static func random(_ depth: Int, _ generator: inout SeededGenerator) -> XMLElement {
        let name = String((0..<generator.number(1..<5)).compactMap { _ in generator.pick(Array("abcXYZ._-1")) })
        let valid = name.first.map { $0.isLetter || $0 == "_" } == true ? name : "n\(name)"
        if depth > 0, generator.chance(60) {
            let children = (0..<generator.number(1..<4)).map { _ in random(depth - 1, &generator) }
            return XMLElement(valid, children)
        }
        let scalars = (0..<generator.number(0..<12)).compactMap { _ in
            Unicode.Scalar(UInt32(generator.number(1..<(generator.chance(70) ? 0x80 : 0x1_0000))))
        }
        return XMLElement(valid, text: String(String.UnicodeScalarView(scalars)))
    }

    @Test("encoded XML is parsed back, and damaged XML never traps", arguments: 0..<200)
    func property(seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        let element = Self.random(4, &generator)
        var bytes = Array(element.encoded.utf8)
        #expect(try XMLElement(parsing: bytes) == element, "seed \(seed)")
        for _ in 0..<20 {
            bytes[generator.number(0..<bytes.count)] = UInt8(generator.number(0..<256))
            // Either result is right; a trap ends the process.
            _ = try? XMLElement(parsing: bytes)
        }
    }
}
