import Basics
import CloudModel
import ContainerLog
import Testing

@Suite("Names of conflict versions that became items")
struct HeirNameTests {
    private func name(_ name: ItemName, _ device: String = "desk", at seconds: Int64 = 1_795_183_392) -> String {
        let suffix = HeirName.deviceAndTime.suffix(from: device, at: Timestamp(seconds: seconds))
        return NumberedName.beforeExtension.inserting(suffix, into: name).description
    }

    @Test("The device and the time in UTC stand before the extension")
    func plain() {
        #expect(name("Report.txt", "Anna's desk") == "Report (conflict from Anna's desk 2026-11-20 14.03.12).txt")
        #expect(name("Makefile") == "Makefile (conflict from desk 2026-11-20 14.03.12)")
    }

    @Test(
        "Dates are correct at the ends of years and before 1970",
        arguments: [
            (Int64(0), "1970-01-01 00.00.00"), (-1, "1969-12-31 23.59.59"), (951_782_400, "2000-02-29 00.00.00"),
            (4_107_542_399, "2100-02-28 23.59.59"), (4_107_542_400, "2100-03-01 00.00.00"),
            (-9_223_372_036, "1677-09-21 00.12.44"), (9_223_372_036, "2262-04-11 23.47.16"),
        ])
    func dates(seconds: Int64, text: String) {
        #expect(name("x", at: seconds) == "x (conflict from desk \(text))")
    }

    @Test("Slashes and control characters are removed from device names, and long names are truncated")
    func deviceNames() {
        #expect(name("x", " a/b\u{7}\u{202E}\n ").hasPrefix("x (conflict from a-b--- 2026"))
        #expect(name("x", "").hasPrefix("x (conflict from unknown 2026"))
        #expect(name("x", "   ").hasPrefix("x (conflict from unknown 2026"))
        #expect(name("x", String(repeating: "\u{E9}", count: 500)).utf8.count < 120)
    }

    @Test("The name has at most 255 bytes and is valid UTF-8")
    func longNames() throws {
        let long = try ItemName(String(repeating: "\u{1F980}", count: 62) + ".text")
        let sibling = name(long, String(repeating: "n", count: 64))
        #expect(sibling.utf8.count <= 255)
        #expect(sibling.hasSuffix(".text"))
        #expect(!sibling.contains("\u{FFFD}"))
    }

    @Test(
        "Heirs with one name and time are numbered in the order of their versions, starting with the first free number")
    func numbered() throws {
        var log = try TestLog()
        try log.append(TestLog.a, .file(1, "x.txt", 10), .folder(2, "x (conflict from lap 2025-01-01 00.00.00) 3.txt"))
        try log.append(
            TestLog.b, .edit(1, from: 9, to: 11, at: 0), .edit(1, from: 9, to: 12, at: 0),
            .edit(1, from: 9, to: 13, at: 0))
        try log.append(TestLog.a, .delete(1, log.contents(1).first))
        #expect(
            log.names() == [
                "x (conflict from desk 1970-01-01 00.00.00).txt", "x (conflict from lap 2025-01-01 00.00.00) 2.txt",
                "x (conflict from lap 2025-01-01 00.00.00) 3.txt", "x (conflict from lap 2025-01-01 00.00.00).txt",
            ])
    }

    @Test("Numbers stand before the extension, and names that are too long are cut between characters")
    func numbers() throws {
        #expect(NumberedName.beforeExtension.name("a.tar.gz", 2) == "a.tar 2.gz")
        #expect(NumberedName.beforeExtension.name(".bashrc", 10) == ".bashrc 10")
        let long = try ItemName(String(repeating: "\u{E9}", count: 125) + ".text")
        let cut = String(repeating: "\u{E9}", count: 123) + " 2.text"
        #expect(NumberedName.beforeExtension.name(long, 2).description == cut)
    }

    @Test("Derived ids never change, differ by item and version, and are not well-known ids")
    func derivedIDs() {
        let versions = [VersionID(sequence: LogSequence(1), index: 0), VersionID(sequence: LogSequence(0), index: 1)]
        var ids: Set<ItemID> = []
        for number in UInt64(0)..<500 {
            for version in versions { ids.insert(DerivedIDs.stableHash.heir(of: .sample(number), version)) }
        }
        #expect(ids.count == 1000)
        let wellKnown = ids.filter(\.isWellKnown)
        #expect(wellKnown.isEmpty)
        #expect(
            DerivedIDs.stableHash.heir(of: .sample(1), versions[0]).description == "e719cf8bcc4007456058498de4cbfe5f")
    }
}
