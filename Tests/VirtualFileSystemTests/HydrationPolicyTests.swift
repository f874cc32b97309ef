import Testing

@testable import VirtualFileSystem

@Suite("What programs may download")
struct HydrationPolicyTests {
    private typealias Program = ProcessFacts.Program
    private typealias Verdict = HydrationPolicy.Verdict

    private static let copier = Program(path: "/usr/bin/dolphin", name: "dolphin")
    private static let indexer = Program(path: "/usr/libexec/tracker-extract-3", name: "tracker-extract")

    private func verdict(_ facts: ProcessFacts?, _ settings: ProgramRules...) -> Verdict {
        HydrationPolicy(settings).verdict(for: facts)
    }

    @Test("a process that cannot be examined, and a program that no rule concerns, get everything")
    func ordinary() {
        #expect(verdict(nil) == Verdict(.full, .unknown))
        let shell = Program(path: "/usr/bin/bash", name: "bash")
        #expect(verdict(ProcessFacts(Self.copier, parents: [shell])) == Verdict(.full, .ordinary))
    }

    @Test(
        "file managers, and KDE's program that copies for them, get everything",
        arguments: ["nautilus", "dolphin", "thunar", "Thunar", "nemo", "caja", "pcmanfm", "cp", "rsync"])
    func copies(name: String) {
        #expect(verdict(ProcessFacts(Program(path: "/usr/bin/\(name)", name: name))).allowance == .full)
        let worker = Program(
            path: "/usr/libexec/kioslave5", name: "kioslave5",
            arguments: ["/usr/libexec/kioslave5", "/usr/lib/kf5/kio/file.so", "file", ""])
        #expect(verdict(ProcessFacts(worker, parents: [Program(name: name)])).allowance == .full)
    }

    @Test("KDE's thumbnailer is known by its plug-in, however its arguments are written")
    func plugin() {
        let arguments = [
            ["kioslave5", "/usr/lib/kf5/kio/thumbnail.so", "thumbnail"], ["thumbnail.so [kdeinit5] thumbnail local:/x"],
        ]
        for words in arguments {
            let program = Program(path: "/usr/libexec/kioslave5", name: "thumbnail.so", arguments: words)
            #expect(verdict(ProcessFacts(program)) == Verdict(.deny, .shipped), "\(words)")
        }
        // The plug-in's name is also a document's name.
        let viewer = Program(path: "/usr/bin/nm", name: "nm", arguments: ["nm", "/usr/lib/kf5/kio/thumbnail.so"])
        #expect(verdict(ProcessFacts(viewer)).allowance == .full)
    }

    @Test("each mark of background work is enough, and a terminal does not lift it")
    func background() {
        for hasTerminal in [false, true] {
            var facts = ProcessFacts(Self.copier, hasTerminal: hasTerminal)
            facts.hasIdleIO = true
            #expect(verdict(facts) == Verdict(.deny, .idleIO))
            facts = ProcessFacts(Self.copier, isScheduledIdle: true, hasTerminal: hasTerminal)
            #expect(verdict(facts) == Verdict(.deny, .idleScheduling))
            facts = ProcessFacts(Self.indexer, hasTerminal: hasTerminal)
            #expect(verdict(facts) == Verdict(.deny, .shipped))
        }
    }

    @Test(
        "a control group is below background.slice if that is one of its folders",
        arguments: [
            ("/user.slice/user-1000.slice/user@1000.service/background.slice/x.service", true),
            ("/background.slice", true), ("/app.slice/my-background.slice/x", false), ("/", false), ("", false),
            ("/background.slice.scope", false),
        ])
    func slice(group: String, isBackground: Bool) {
        let facts = ProcessFacts(Self.copier, controlGroups: ["/", group])
        #expect(verdict(facts) == (isBackground ? Verdict(.deny, .backgroundSlice) : Verdict(.full, .ordinary)))
    }

    @Test("a program that an indexer or thumbnailer started is one too, except in a terminal")
    func parents() {
        let helper = Program(path: "/usr/bin/ffprobe", name: "ffprobe")
        var facts = ProcessFacts(helper, parents: [Program(name: "bwrap"), Program(name: "tumblerd")])
        #expect(verdict(facts) == Verdict(.deny, .shipped))
        facts.hasTerminal = true
        #expect(verdict(facts).allowance == .full)
    }

    @Test("what `ubiquity run` declares counts before everything, and the nearest declaration before those of parents")
    func declared() {
        var program = Self.indexer
        program.declared = .full
        let outer = Program(name: "sh", declared: .deny)
        let rules = ProgramRules(["tracker-extract-3": .deny])
        let facts = ProcessFacts(program, parents: [outer], hasIdleIO: true)
        #expect(verdict(facts, rules) == Verdict(.full, .declared))
        let inherited = ProcessFacts(Self.copier, parents: [Program(name: "env"), outer])
        #expect(verdict(inherited, ProgramRules(["dolphin": .full])) == Verdict(.deny, .declared))
    }

    @Test(
        "settings count before classes and the shipped list; the user's before the system's; the program's before its parents'"
    )
    func settings() {
        let user = ProgramRules(["tracker-extract-3": .full, "nightly": .deny])
        let system = ProgramRules(["tracker-extract-3": .head, "dolphin": .head])
        #expect(verdict(ProcessFacts(Self.indexer, isScheduledIdle: true), user, system) == Verdict(.full, .named))
        #expect(verdict(ProcessFacts(Self.copier), user, system) == Verdict(.head, .named))
        let nightly = Program(name: "nightly")
        #expect(verdict(ProcessFacts(Program(name: "cat"), parents: [nightly]), user) == Verdict(.deny, .named))
        #expect(verdict(ProcessFacts(Self.indexer, parents: [nightly]), user) == Verdict(.full, .named))
    }

    @Test("a program is named by its path, by its file or by its process, of which the kernel keeps 15 bytes")
    func names() {
        let rules = ProgramRules([
            "/opt/a/tool": .deny, "tool": .head, "script.py": .deny, "a-very-long-name-of-a-program": .deny,
            "fifteen-bytes-x": .head,
        ])
        func allowance(_ path: String?, _ name: String) -> DownloadAllowance? {
            rules.allowance(of: Program(path: path, name: name))
        }
        #expect(allowance("/opt/a/tool", "tool") == .deny)
        #expect(allowance("/usr/bin/tool", "x") == .head)
        #expect(allowance("/usr/bin/python3.11", "script.py") == .deny)
        #expect(allowance(nil, "a-very-long-nam") == .deny)
        #expect(allowance("/bin/a-very-long-name-of-a-program", "x") == .deny)
        #expect(allowance(nil, "fifteen-bytes-x") == .head)
        #expect(allowance(nil, "a-very-long") == nil)
        #expect(allowance("/usr/bin/tools", "tools") == nil)
    }

    @Test("of two long names with one beginning the more generous rule counts for the process's name, in either order")
    func cutNames() {
        let names = ["a-very-long-name-one", "a-very-long-name-two"]
        for pair in [names, names.reversed()] {
            let rules = ProgramRules([pair[0]: .deny, pair[1]: .head])
            #expect(rules.allowance(of: Program(name: "a-very-long-nam")) == .head)
        }
    }
}
