import Basics
import CloudModel
import ContainerLog
import Testing

@Suite("Names of conflict siblings")
struct ConflictNamingTests {
    private func version(_ device: String, _ time: Timestamp) -> ConflictVersion {
        ConflictVersion(
            version: VersionID(sequence: LogSequence(4), index: 1), content: .sample(1), modified: time,
            author: TestLog.a, authorName: device, base: nil)
    }

    private func name(_ name: ItemName, _ device: String = "desk", at seconds: Int64 = 1_795_183_392) -> String {
        ConflictNaming.siblingName(of: name, for: version(device, Timestamp(seconds: seconds))) { _ in false }
            .description
    }

    @Test("A sibling tells device and time in UTC before the extension")
    func plain() {
        #expect(name("Report.txt", "Anna's desk") == "Report (conflict from Anna's desk 2026-11-20 14.03.12).txt")
        #expect(name("Makefile") == "Makefile (conflict from desk 2026-11-20 14.03.12)")
    }

    @Test(
        "Dates are right at the edges of years and before 1970",
        arguments: [
            (Int64(0), "1970-01-01 00.00.00"), (-1, "1969-12-31 23.59.59"), (951_782_400, "2000-02-29 00.00.00"),
            (4_107_542_399, "2100-02-28 23.59.59"), (4_107_542_400, "2100-03-01 00.00.00"),
            (-9_223_372_036, "1677-09-21 00.12.44"), (9_223_372_036, "2262-04-11 23.47.16"),
        ])
    func dates(seconds: Int64, text: String) {
        #expect(name("x", at: seconds) == "x (conflict from desk \(text))")
    }

    @Test("Device names bring neither slashes nor control characters nor endless text")
    func deviceNames() {
        #expect(name("x", " a/b\u{7}\u{202E}\n ").hasPrefix("x (conflict from a-b--- 2026"))
        #expect(name("x", "").hasPrefix("x (conflict from unknown 2026"))
        #expect(name("x", "   ").hasPrefix("x (conflict from unknown 2026"))
        #expect(name("x", String(repeating: "\u{E9}", count: 500)).utf8.count < 120)
    }

    @Test("A sibling's name has at most 255 bytes and stays UTF-8")
    func longNames() throws {
        let long = try ItemName(String(repeating: "\u{1F980}", count: 62) + ".text")
        let sibling = name(long, String(repeating: "n", count: 64))
        #expect(sibling.utf8.count <= 255)
        #expect(sibling.hasSuffix(".text"))
        #expect(!sibling.contains("\u{FFFD}"))
    }

    @Test("A taken name is counted on")
    func taken() {
        var names: Set<ItemName> = []
        for _ in 0..<3 {
            let next = ConflictNaming.siblingName(of: "x.txt", for: version("d", .zero)) { names.contains($0) }
            names.insert(next)
        }
        #expect(names.contains("x (conflict from d 1970-01-01 00.00.00) 3.txt"))
        #expect(names.count == 3)
    }

    @Test("Derived ids are fixed for ever, differ by item and version, and are not well-known")
    func derivedIDs() {
        let versions = [VersionID(sequence: LogSequence(1), index: 0), VersionID(sequence: LogSequence(0), index: 1)]
        var ids: Set<ItemID> = []
        for number in UInt64(0)..<500 {
            for version in versions { ids.insert(ConflictNaming.derivedID(.sample(number), version)) }
        }
        #expect(ids.count == 1000)
        let wellKnown = ids.filter(\.isWellKnown)
        #expect(wellKnown.isEmpty)
        #expect(
            ConflictNaming.derivedID(.sample(1), versions[0]).description == "e719cf8bcc4007456058498de4cbfe5f")
    }
}
