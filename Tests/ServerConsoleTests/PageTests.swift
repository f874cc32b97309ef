import CloudModel
import ServerConsole
import TestSupport
import Testing

@Suite("Markup and forms")
struct PageTests {
    @Test("text is escaped, whatever it contains")
    func escaping() {
        let hostile = "<a href=\"x\" onclick='y'>&amp;</a>\u{0}\u{1B}"
        let html: HTML = "<p title=\"\(hostile)\">\(hostile)</p>"
        let safe = "&lt;a href=&quot;x&quot; onclick=&#39;y&#39;&gt;&amp;amp;&lt;/a&gt;\u{FFFD}\u{FFFD}"
        #expect(html.description == "<p title=\"\(safe)\">\(safe)</p>")
    }

    @Test("markup with any bytes in a name has only the tags of our own templates")
    func anyName() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SeededGenerator(seed: seed)
        let spice = Array("<>&\"'/=`\u{202E}\u{0}é".utf8)
        for _ in 0..<2_000 {
            let count = Int.random(in: 1...40, using: &random)
            let bytes = (0..<count).map { _ in
                Bool.random(using: &random)
                    ? spice.randomElement(using: &random) ?? 0x3C : UInt8.random(in: 1...255, using: &random)
            }
            guard let name = try? ItemName(bytes: bytes) else { continue }
            let text = Shown.name(name).description
            let inner = text.unicodeScalars.dropFirst(5).dropLast(6)
            #expect(
                Array(text.utf8.prefix(5)) == Array("<bdi>".utf8) && Array(text.utf8.suffix(6)) == Array("</bdi>".utf8))
            #expect(!inner.contains { "<>\"'".unicodeScalars.contains($0) }, "seed \(seed)")
            #expect(
                !inner.contains { $0.properties.generalCategory == .control || $0 == "\u{202E}" },
                "seed \(seed)")
        }
    }

    @Test("a form's fields are parsed as browsers encode them, and any bytes can be parsed")
    func forms() {
        let form = FormBody(decoding: Array("a=1&b=x+y%C3%A9&c&a=2&d=%zz%4".utf8))
        #expect(form["a"] == "1" && form["b"] == "x yé" && form["c"] == "" && form["d"] == "%zz%4" && form["e"] == nil)
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SeededGenerator(seed: seed)
        for _ in 0..<5_000 {
            let count = Int.random(in: 0...30, using: &random)
            let bytes = (0..<count).map { _ in Array("%=&+a1\u{FF}".utf8).randomElement(using: &random) ?? 0 }
            let form = FormBody(decoding: bytes)
            #expect(form["a"]?.utf8.count ?? 0 <= 3 * count, "seed \(seed)")
        }
    }

    @Test(
        "addresses in a page lead to the console's first page from any page",
        arguments: [
            ("", "./"), ("devices", "./"), ("c/CloudDocs", "../"), ("c/CloudDocs/i/1", "../../../"),
            ("devices/", "../"),
        ])
    func roots(_ path: String, _ root: String) { #expect(PageFrame.root(ofPath: path) == root) }
}
