import TestSupport
import Testing

extension EndToEnd {
    /// `.ubiquityignore`: the user's own names that stay on a device.
    @Suite("Ignore files")
    struct IgnoreTests {
        @Test("what the patterns match stays on its device, on both devices; what was uploaded before stays everywhere")
        func patterns() async throws {
            try await TestDevices.withTwo { _, a, b in
                try await a.shell("mkdir project; echo kept > project/kept.log; echo one > f")
                try await a.sync()
                try await eventually("B has it") { try await b.tryShell("grep -q kept project/kept.log").succeeded }
                try await a.shell("printf '# mine\\n*.log\\nnode_modules/\\n!keep.log\\n' > .ubiquityignore")
                try await a.shell(
                    """
                    mkdir -p project/node_modules/x; echo x > project/node_modules/x/y
                    echo new > project/new.log; echo keep > keep.log; echo more >> project/kept.log
                    """)
                try await a.sync()
                try await eventually("the edit of what was uploaded arrives") {
                    try await b.tryShell("grep -q more project/kept.log && grep -q keep keep.log").succeeded
                }
                #expect(try await b.list("project") == ["kept.log"])
                #expect(try await a.status("project/new.log").isExcludedFromSync)
                #expect(try await a.status("project/node_modules/x/y").isExcludedFromSync)
                #expect(try await !a.status("project/kept.log").isExcludedFromSync)
                let text = try await a.ubiquity(["status", a.path("project/node_modules/x/y")]).text()
                #expect(text.contains(".ubiquityignore: node_modules/") && text.contains("line 3"), "\(text)")
                try await eventually("B has the patterns, and follows them") {
                    try await b.tryShell("grep -q node_modules .ubiquityignore").succeeded
                }
                try await b.shell("echo b > b.log; echo done > done")
                try await b.sync()
                try await eventually("what B may send arrives") { try await a.list().contains("done") }
                #expect(try await !a.list().contains("b.log"))
                #expect(try await b.contents("b.log") == "b")
            }
        }

        @Test("a restart keeps what is excluded; a pattern that is removed uploads it; a deleted folder keeps it")
        func changes() async throws {
            try await TestDevices.withTwo { _, a, b in
                try await a.shell(
                    """
                    printf 'build/\\n*.o\\n' > .ubiquityignore
                    mkdir -p p/build; echo 1 > p/build/x; echo 2 > p/y.o; echo 3 > p/z
                    """)
                try await a.sync()
                try await a.restart()
                try await a.shell("echo 4 > w.o")
                try await a.sync()
                try await eventually("B has the rest") { try await b.tryShell("grep -q 3 p/z").succeeded }
                #expect(try await b.list("p") == ["z"])
                try await a.shell("echo build/ > new && mv new .ubiquityignore")
                try await a.sync()
                try await eventually("what is not excluded any more arrives") {
                    try await b.tryShell("grep -q 2 p/y.o && grep -q 4 w.o").succeeded
                }
                #expect(try await b.list("p") == ["y.o", "z"])
                try await b.shell("rm -r p")
                try await b.sync()
                try await eventually("A follows the deletion") { try await !a.tryShell("test -e p/z").succeeded }
                #expect(try await a.contents("p/build/x") == "1")
            }
        }
    }
}
