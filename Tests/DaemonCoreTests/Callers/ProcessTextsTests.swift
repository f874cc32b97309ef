import DaemonCore
import TestSupport
import Testing
import VirtualFileSystem

@Suite("Texts of processes")
struct ProcessTextsTests {
    @Test("control groups are the paths of their lines, with any colons and spaces; other lines are left out")
    func controlGroups() {
        let text =
            "12:pids:/user.slice/a:b c\n1:name=systemd:/x\n0::/background.slice/y.service\n\nnonsense\n3:cpu:rel\n"
        let groups = ProcessTexts.controlGroups(Array(text.utf8))
        #expect(groups == ["/user.slice/a:b c", "/x", "/background.slice/y.service"])
    }

    @Test("a map of memory shows GLib's library for files, if it is there")
    func libraries() {
        let line = "7f7a-7f7b r-xp 00000000 08:01 42    /usr/lib/x86_64-linux-gnu/"
        #expect(ProcessTexts.hasGLib(Array("\(line)libc.so.6\n\(line)libgio-2.0.so.0.7400.6\n".utf8)))
        #expect(!ProcessTexts.hasGLib(Array("\(line)libc.so.6\n\(line)libgio\n".utf8)) && !ProcessTexts.hasGLib([]))
    }

    @Test("arguments are separated by NUL only, and only the first eight are kept")
    func arguments() {
        let words = ["/usr/bin/kio slave", "", "a\nb", "(c)"]
        #expect(ProcessTexts.arguments(words.flatMap { Array($0.utf8) + [0] }).prefix(4).elementsEqual(words))
        #expect(ProcessTexts.arguments([UInt8](repeating: 0, count: 100_000)).count == 8)
        #expect(ProcessTexts.arguments([]) == [""])
    }

    @Test(
        "the allowance of an environment is that of the variable, which counts only with a valid value",
        arguments: [
            ("UBIQUITY_DOWNLOADS=deny", DownloadAllowance.deny), ("A=b\u{0}UBIQUITY_DOWNLOADS=full\u{0}C=", .full),
            ("UBIQUITY_DOWNLOADS=head\u{0}UBIQUITY_DOWNLOADS=full", .head), ("UBIQUITY_DOWNLOADS=", nil),
            ("UBIQUITY_DOWNLOADS=Deny", nil), ("X=UBIQUITY_DOWNLOADS=deny", nil), ("A=\nUBIQUITY_DOWNLOADS=deny", nil),
            ("UBIQUITY_DOWNLOADS", nil), ("", nil),
        ])
    func declared(environment: String, allowance: DownloadAllowance?) {
        #expect(ProcessTexts.declared(Array(environment.utf8)) == allowance)
    }

    @Test("an executable file that was replaced keeps its name")
    func executable() {
        #expect(ProcessTexts.executable("/usr/bin/tumblerd (deleted)") == "/usr/bin/tumblerd")
        #expect(ProcessTexts.executable("/usr/bin/a (b)") == "/usr/bin/a (b)")
    }

    @Test("random bytes have a result")
    func random() {
        var random = SeededGenerator(seed: 21)
        for _ in 0..<3_000 {
            let bytes = random.bytes(random.number(0..<200)).map { random.chance(20) ? 0x0A : $0 }
            #expect(ProcessTexts.controlGroups(bytes).allSatisfy { $0.hasPrefix("/") })
            #expect(ProcessTexts.arguments(bytes).count <= 8)
            _ = ProcessTexts.declared(bytes)
        }
    }
}
