import LocalMetadata
import TestSupport
import Testing
import VirtualFileSystem

@Suite("Programs that look into many placeholders")
struct DownloadBreakerTests {
    private static let size: UInt64 = 3 << 20

    private func look(_ node: Int) -> DownloadBreaker.Reading {
        DownloadBreaker.Reading(NodeID(UInt64(node)), size: Self.size, end: 16 << 10)
    }

    private func whole(_ node: Int) -> DownloadBreaker.Reading {
        DownloadBreaker.Reading(NodeID(UInt64(node)), size: Self.size, end: Self.size)
    }

    /// A breaker with mutations usable in expectations.
    private final class Subject {
        var breaker = DownloadBreaker()
        func permits(_ program: String, at now: Duration) -> Bool { breaker.permits(program, at: now) }
        func allow(_ program: String) { breaker.allow(program) }
        func refusals(at now: Duration) -> [DownloadBreaker.Refusal] { breaker.refusals(at: now) }
        func closed(_ reading: DownloadBreaker.Reading, by program: String, at now: Duration) -> Bool {
            breaker.closed(reading, by: program, at: now)
        }
    }

    /// Returns which of these many looks, one every `pause`, tripped the breaker.
    private func trips(_ breaker: Subject, _ count: Int, pause: Duration = .zero) -> [Int] {
        (0..<count).filter { breaker.closed(look($0), by: "indexer", at: pause * $0) }
    }

    @Test(
        "the 65th look within a minute trips the breaker; the program is refused for ten minutes, and then begins again"
    )
    func trip() {
        let breaker = Subject()
        #expect(trips(breaker, 65) == [64])
        let refused = [0, 599].map { breaker.permits("indexer", at: .seconds($0)) }
        #expect(refused == [false, false])
        #expect(breaker.permits("cp", at: .zero))
        #expect(breaker.refusals(at: .seconds(60)).map(\.program) == ["indexer"])
        #expect(breaker.refusals(at: .seconds(60)).map(\.seconds) == [540])
        #expect(breaker.permits("indexer", at: .seconds(600)) && breaker.refusals(at: .seconds(600)).isEmpty)
        #expect((65..<129).allSatisfy { !breaker.closed(look($0), by: "indexer", at: .seconds(600)) })
        #expect(breaker.closed(look(129), by: "indexer", at: .seconds(600)))
    }

    @Test("a program that looks into 64 documents a minute, or into the same ones again and again, is not refused")
    func slow() {
        let breaker = Subject()
        #expect(trips(breaker, 1_000, pause: .milliseconds(938)).isEmpty)
        #expect((0..<1_000).allSatisfy { !breaker.closed(look($0 % 64), by: "viewer", at: .seconds(2_000)) })
    }

    @Test(
        "documents that are read whole, far, or not at all never count, and reading one whole after a look takes the look back"
    )
    func copies() {
        let breaker = Subject()
        for node in 0..<1_000 {
            #expect(!breaker.closed(whole(node), by: "cp", at: .zero))
            let far = DownloadBreaker.Reading(NodeID(UInt64(node)), size: 3 << 20, end: (256 << 10) + 1)
            #expect(!breaker.closed(far, by: "player", at: .zero))
            let unread = DownloadBreaker.Reading(NodeID(UInt64(node)), size: 3 << 20, end: 0)
            #expect(!breaker.closed(unread, by: "touch", at: .zero))
            let small = DownloadBreaker.Reading(NodeID(UInt64(node)), size: 4_096, end: 4_096)
            #expect(!breaker.closed(small, by: "cat", at: .zero))
            #expect(!breaker.closed(look(node), by: "file manager", at: .zero))
            #expect(!breaker.closed(whole(node), by: "file manager", at: .zero))
        }
        #expect(breaker.breaker.size == (0, 0))
    }

    @Test("a program that its user allowed is not refused any more, however much it looks")
    func allowed() {
        let breaker = Subject()
        #expect(trips(breaker, 65) == [64])
        breaker.allow("indexer")
        #expect(breaker.permits("indexer", at: .zero) && breaker.refusals(at: .zero).isEmpty)
        #expect(trips(breaker, 1_000).isEmpty)
    }

    @Test(
        "whatever programs do, memory is bounded, a refusal lasts ten minutes, and none is refused without 65 looks",
        arguments: 0..<20)
    func random(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let breaker = Subject()
        var now = Duration.zero
        /// The looks of each program since it was last refused or allowed, by node.
        var looks: [String: [Int: Duration]] = [:]
        var refused: [String: Duration] = [:]
        var count = 0
        for _ in 0..<2_000 {
            now += .milliseconds(random.number(0..<(random.number(0..<500) == 0 ? 700_000 : 20)))
            let program = "p\(random.number(0..<(random.chance(60) ? 3 : 100)))"
            let node = random.number(0..<200)
            let permits = breaker.permits(program, at: now)
            if let until = refused[program], now < until {
                // With more programs than are remembered, a refusal may be forgotten.
                if !permits {
                    #expect(!breaker.closed(look(node), by: program, at: now))
                } else {
                    refused[program] = nil
                }
                continue
            }
            #expect(permits, "seed \(seed)")
            let isLook = random.chance(90)
            let trips = breaker.closed(isLook ? look(node) : whole(node), by: program, at: now)
            looks[program, default: [:]][node] = isLook ? now : nil
            let recent = looks[program, default: [:]].values.count { now - $0 < DownloadBreaker.window }
            #expect(!trips || recent > DownloadBreaker.maximumLooks, "seed \(seed)")
            if trips {
                (refused[program], looks[program]) = (now + DownloadBreaker.pause, nil)
                count += 1
            }
            let size = breaker.breaker.size
            #expect(size.programs <= DownloadBreaker.maximumPrograms, "seed \(seed)")
            #expect(size.looks <= DownloadBreaker.maximumPrograms * DownloadBreaker.maximumLooks, "seed \(seed)")
        }
        #expect(count > 0, "seed \(seed)")
    }

    @Test(
        "a program is counted by its executable file, and a script by its own name",
        arguments: [
            ("/usr/bin/rg", ["rg", "x"], "rg"),
            ("/usr/bin/python3.11", ["python3", "-u", "/opt/index.py"], "index.py"),
            ("/usr/bin/python3.11", ["python3", "-m", "http.server"], "python3.11"),
            ("/usr/bin/bash", ["/bin/bash", "-e", "/opt/look.sh"], "look.sh"),
            ("/usr/bin/dash", ["sh", "-c", "cat /a/b"], "dash"),
            ("/usr/bin/perl", ["perl", "-ne", "print", "/a"], "perl"),
            ("/usr/bin/bash", ["bash"], "bash"),
        ])
    func family(path: String, arguments: [String], name: String) {
        #expect(ProcessFacts.Program(path: path, name: "x", arguments: arguments).family == name)
    }

    @Test("only programs without a terminal, which no rule concerns and which are no file managers, are watched")
    func watched() {
        func isWatched(_ name: String, hasTerminal: Bool = false, _ declared: DownloadAllowance? = nil) -> Bool {
            let facts = ProcessFacts(
                ProcessFacts.Program(path: "/usr/bin/\(name)", name: name, declared: declared), hasTerminal: hasTerminal
            )
            return HydrationPolicy.isWatched(facts, HydrationPolicy().verdict(for: facts))
        }
        #expect(isWatched("rg") && isWatched("code"))
        #expect(!isWatched("rg", hasTerminal: true) && !isWatched("rg", .full) && !isWatched("nautilus"))
        #expect(!isWatched("thunar") && !isWatched("tumblerd"))
        #expect(HydrationPolicy.isWatched(ProcessFacts(.init(name: "rg")), .init(.full, .ordinary)))
        let named = HydrationPolicy([ProgramRules(["index.py": .full])])
        let script = ProcessFacts(
            .init(path: "/usr/bin/python3", name: "python3", arguments: ["python3", "/opt/index.py"]))
        #expect(named.verdict(for: script).reason == .named)
    }
}
