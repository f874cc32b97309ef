import CloudModel
import HTTPTypes
import Testing

@testable import CloudServer

@Suite("Ranges and conditions of a content (RFC 9110)")
struct ContentConditionsTests {
    private static let tag = "\"abc\""

    private func verdict(
        _ fields: HTTPFields, size: UInt64 = 100, method: HTTPRequest.Method = .get
    ) -> ContentConditions.Verdict {
        var request = HTTPRequest(method: method, scheme: "http", authority: "x", path: "/")
        request.headerFields = fields
        return ContentConditions(request).verdict(size: size, tag: Self.tag)
    }

    @Test("a single range returns its part; a range that begins past the end returns nothing")
    func ranges() {
        #expect(verdict([:]) == .whole)
        #expect(verdict([.range: "bytes=0-9"]) == .part(0..<10))
        #expect(verdict([.range: "bytes=90-"]) == .part(90..<100))
        #expect(verdict([.range: "bytes=90-5000"]) == .part(90..<100))
        #expect(verdict([.range: "bytes=-10"]) == .part(90..<100))
        #expect(verdict([.range: "bytes=-5000"]) == .part(0..<100))
        #expect(verdict([.range: "bytes=100-"]) == .unsatisfiable)
        #expect(verdict([.range: "bytes=-0"]) == .unsatisfiable)
        #expect(verdict([.range: "bytes=0-"], size: 0) == .unsatisfiable)
    }

    @Test("a header that is not a single range of bytes is ignored, and so is a range in a HEAD request")
    func ignored() {
        for text in ["bytes=0-1,5-6", "lines=1-2", "bytes=9-2", "bytes=", "bytes=a-b", "0-1"] {
            #expect(verdict([.range: text]) == .whole, "\(text)")
        }
        #expect(verdict([.range: "bytes=0-9"], method: .head) == .whole)
    }

    @Test("If-Range returns a part only if the content is unchanged")
    func ifRange() {
        #expect(verdict([.range: "bytes=0-9", .ifRange: Self.tag]) == .part(0..<10))
        #expect(verdict([.range: "bytes=0-9", .ifRange: "\"other\""]) == .whole)
        #expect(verdict([.range: "bytes=0-9", .ifRange: "W/\"abc\""]) == .whole)
        #expect(verdict([.range: "bytes=0-9", .ifRange: "Sat, 21 Nov 2026 14:00:00 GMT"]) == .whole)
    }

    @Test("a client that has the content gets 304, and a client that wants another version is refused")
    func conditions() {
        #expect(verdict([.ifNoneMatch: Self.tag]) == .unchanged)
        #expect(verdict([.ifNoneMatch: "\"x\", W/\"abc\""]) == .unchanged)
        #expect(verdict([.ifNoneMatch: "*"]) == .unchanged)
        #expect(verdict([.ifNoneMatch: "\"x\""]) == .whole)
        #expect(verdict([.ifMatch: Self.tag]) == .whole)
        #expect(verdict([.ifMatch: "\"x\""]) == .failed)
        #expect(verdict([.ifMatch: "W/\"abc\""]) == .failed)
    }

    @Test("names reach the file dialog complete, and no name ends the header field or leads into another folder")
    func names() throws {
        func field(_ name: String) throws -> String { ContentDisposition.field(try ItemName(name), isInline: false) }
        #expect(try field("a b.txt") == "attachment; filename=\"a b.txt\"; filename*=UTF-8''a%20b.txt")
        #expect(try field("ä\".txt") == "attachment; filename=\"__.txt\"; filename*=UTF-8''%C3%A4%22.txt")
        #expect(try field("x\r\nSet-Cookie: a").contains("\n") == false)
        #expect(try field("..\\x").contains("\\") == false)
        let latin = try ItemName(bytes: [0x63, 0xE9])
        #expect(
            ContentDisposition.field(latin, isInline: true) == "inline; filename=\"c_\"; filename*=UTF-8''c%EF%BF%BD")
    }

    @Test("only types that cannot run code are shown in the browser")
    func types() throws {
        #expect(MediaType.of(try ItemName("a.PDF")) == "application/pdf")
        #expect(MediaType.of(try ItemName("a.unknown")) == "application/octet-stream")
        for name in ["a.html", "a.svg", "a.xml", "a.js", "a.pdf", "a"] {
            #expect(!MediaType.isPassive(MediaType.of(try ItemName(name))), "\(name)")
        }
        for name in ["a.png", "a.txt", "a.mp4"] {
            #expect(MediaType.isPassive(MediaType.of(try ItemName(name))), "\(name)")
        }
    }
}
