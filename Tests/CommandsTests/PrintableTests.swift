import Testing

@testable import Commands

@Suite("Texts on a terminal")
struct PrintableTests {
    @Test(
        "characters that control a terminal, change the direction or cannot be seen are shown as a question mark; letters and emoji stay"
    )
    func shown() {
        #expect(printable("bidi\u{202E}txt.exe\u{2066}\u{200B}\u{FEFF}\u{2028}\u{1B}[2J\n") == "bidi?txt.exe?????[2J?")
        let kept = "Ärger, 日本, 👩\u{200D}💻, क्\u{200D}ष"
        #expect(printable(kept) == kept)
    }
}
