import Basics
import LocalMetadata
import Testing
import VirtualFileSystem

@Suite("How programs find out the types of documents")
struct LookStyleTests {
    private func style(
        _ name: String, thread: String? = nil, usesGLib: Bool = false,
        _ verdict: HydrationPolicy.Verdict = .init(.full, .ordinary)
    ) -> LookStyle {
        LookStyle(ProcessFacts(.init(path: "/usr/bin/\(name)", name: thread ?? name), usesGLib: usesGLib), verdict)
    }

    @Test("programs with GLib look as GLib does, KDE's file managers as KDE does unless their user named them")
    func styles() {
        #expect(style("nautilus", usesGLib: true) == .short && style("tar") == .unknown)
        #expect(style("dolphin") == .long)
        #expect(style("dolphin", thread: "KIO::WorkerThre") == .unknown, "it copies in the same process")
        #expect(style("dolphin", .init(.full, .named)) == .unknown)
    }

    @Test("a program gets eight documents in a minute, each as often as it wants")
    func admissions() {
        var looks = SparingLooks()
        func admits(_ number: UInt64, _ program: String = "dolphin", at second: Int64) -> Bool {
            looks.admits(NodeID(number), by: program, at: .seconds(second))
        }
        for number in UInt64(1)...8 { #expect(admits(number, at: Int64(number))) }
        #expect(!admits(9, at: 9))
        #expect(admits(8, at: 9) && admits(9, "krusader", at: 9))
        // The first look is a minute ago.
        #expect(admits(9, at: 61))
        #expect(!admits(10, at: 61))
    }

    @Test("a clock that is set back refuses nothing for longer than a minute")
    func clocks() {
        var looks = SparingLooks()
        for number in 1...8 { _ = looks.admits(NodeID(UInt64(number)), by: "dolphin", at: .seconds(1_000)) }
        let isAdmitted = looks.admits(NodeID(9), by: "dolphin", at: .seconds(10))
        #expect(isAdmitted)
    }

    @Test("a few programs are remembered")
    func bounds() {
        var looks = SparingLooks()
        for number in 1...100 { _ = looks.admits(NodeID(1), by: "program \(number)", at: .seconds(Int64(number) * 10)) }
        #expect(looks.count == SparingLooks.maximumPrograms)
    }
}

extension Timestamp {
    fileprivate static func seconds(_ count: Int64) -> Timestamp { Timestamp(nanoseconds: count * 1_000_000_000) }
}
