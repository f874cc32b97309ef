import CloudModel
import Testing

/// The rules of gitignore(5). `IgnoreGitTests` compares them with git's own.
@Suite("Patterns of ignore files")
struct IgnoreFileTests {
    /// Returns whether a file with this text, in the outermost folder, ignores a path. A trailing slash marks a folder.
    private func ignores(_ text: String, _ path: String) throws -> Bool {
        try match([0: text], path) != nil
    }

    /// As ``ignores(_:_:)``, with files in the folders of the path, by their depth.
    private func match(_ texts: [Int: String], _ path: String) throws -> IgnoreScope.Match? {
        let files = try texts.mapValues { try IgnoreFile(Array($0.utf8)) }
        let names = try path.split(separator: "/").map { try ItemName(String($0)) }
        var scope = IgnoreScope(files[0])
        for (index, name) in names.dropLast().enumerated() { scope.enter(name, with: files[index + 1]) }
        return scope.match(try #require(names.last), isFolder: path.hasSuffix("/"))
    }

    @Test("a pattern without a slash matches names at any depth, one with a slash only from its folder on")
    func anchoring() throws {
        #expect(try ignores("*.o", "a.o"))
        #expect(try ignores("*.o", "deep/er/a.o"))
        #expect(try !ignores("*.o", "a.oo"))
        #expect(try ignores("/a", "a"))
        #expect(try !ignores("/a", "b/a"))
        #expect(try ignores("b/a", "b/a"))
        #expect(try !ignores("b/a", "c/b/a"))
    }

    @Test("a slash at the end means folders, and what is in an ignored folder is ignored")
    func folders() throws {
        #expect(try ignores("build/", "build/"))
        #expect(try !ignores("build/", "build"))
        #expect(try ignores("build/", "src/build/a/b"))
        #expect(try ignores("/build/", "build/a"))
        #expect(try !ignores("/build/", "src/build/a"))
    }

    @Test("the last pattern that matches decides, and nothing in an ignored folder is included again")
    func negation() throws {
        #expect(try !ignores("*.log\n!keep.log", "keep.log"))
        #expect(try ignores("!keep.log\n*.log", "keep.log"))
        #expect(try ignores("logs/\n!logs/keep.log", "logs/keep.log"))
        #expect(try !ignores("logs/*\n!logs/keep.log", "logs/keep.log"))
        #expect(try ignores("logs/*\n!logs/keep.log", "logs/other"))
    }

    @Test("two asterisks stand for folders between slashes, and for one asterisk elsewhere")
    func asterisks() throws {
        for path in ["a", "b/a", "c/b/a"] { #expect(try ignores("**/a", path), "\(path)") }
        for path in ["a/b", "a/x/b", "a/x/y/b"] { #expect(try ignores("a/**/b", path), "\(path)") }
        #expect(try !ignores("a/**/b", "a/xb"))
        #expect(try ignores("a/**", "a/x/y"))
        #expect(try !ignores("a/**", "a/"))
        #expect(try ignores("a/*", "a/x"))
        #expect(try !ignores("a/*/c", "a/b/b/c"))
        #expect(try ignores("x/a**b", "x/a-b"))
        #expect(try !ignores("x/a**b", "x/a/b"))
    }

    @Test("question marks, sets, ranges, classes and backslashes")
    func sets() throws {
        #expect(try ignores("?.c", "a.c"))
        #expect(try !ignores("?.c", ".c"))
        #expect(try ignores("[ab-d].c", "c.c"))
        #expect(try !ignores("[!ab-d].c", "c.c"))
        #expect(try ignores("[^x].c", "c.c"))
        #expect(try ignores("[]-].c", "].c") && ignores("[]-].c", "-.c"))
        #expect(try ignores("[[:digit:]x].c", "7.c") && ignores("[[:digit:]x].c", "x.c"))
        #expect(try !ignores("[[:digit:]x].c", "y.c"))
        #expect(try ignores(#"\*.c"#, "*.c"))
        #expect(try !ignores(#"\*.c"#, "a.c"))
        #expect(try ignores(#"[\]].c"#, "].c"))
        #expect(try ignores("\\#a", "#a") && ignores("\\!a", "!a"))
        #expect(try !ignores("a/[b/]c", "a/b/c"), "no set matches a slash")
    }

    @Test("a set that does not end, an unknown class and a backslash at the end match nothing")
    func malformed() throws {
        for text in ["[a", "[[:none:]]", "a\\", "[a-", "[\\"] {
            for name in ["a", "[a", "a\\", "n"] { #expect(try !ignores(text, name), "\(text) \(name)") }
        }
    }

    @Test("comments, empty lines, a byte order mark, CR LF and spaces at the end are no part of a pattern")
    func lines() throws {
        #expect(try ignores("\u{FEFF}a\r\n# b\r\n\r\nc  \n", "a"))
        #expect(try !ignores("\u{FEFF}a\r\n# b\r\n\r\nc  \n", "# b"))
        #expect(try ignores("\u{FEFF}a\r\n# b\r\n\r\nc  \n", "c"))
        #expect(try ignores("a\\ ", "a ") && !ignores("a\\ ", "a"))
        #expect(try ignores("a\\  ", "a "))
        #expect(try ignores("a\t", "a\t"))
        let match = try #require(try match([0: "\n# x\n\n*.o \n"], "a.o"))
        #expect(match.pattern.line == 4 && match.pattern.text == Array("*.o".utf8) && match.depth == 0)
    }

    @Test("the file in the nearest folder decides")
    func nested() throws {
        #expect(try match([0: "*.o", 1: "!*.o"], "a/b.o") == nil)
        #expect(try match([0: "!*.o", 1: "*.o"], "a/b.o")?.depth == 1)
        #expect(try match([0: "*.o", 1: "x"], "a/b.o")?.depth == 0)
        #expect(try match([1: "/b"], "a/b") != nil)
        #expect(try match([1: "/b"], "a/c/b") == nil)
        #expect(try match([0: "a/", 1: "!b"], "a/b")?.depth == 0, "the folder itself is ignored")
    }

    @Test("no pattern excludes ignore files themselves, except with their folder")
    func ignoreFiles() throws {
        #expect(try !ignores(".*", ".ubiquityignore"))
        #expect(try ignores(".*", ".ubiquityignore/"))
        #expect(try ignores("a/", "a/.ubiquityignore"))
    }

    @Test("a file over a limit is refused as a whole, one at the limit is not")
    func limits() throws {
        typealias Problem = IgnoreFile.Problem
        let full = String(repeating: "#234567\n", count: IgnoreFile.maximumSize / 8)
        #expect(try IgnoreFile(Array(full.utf8)).patterns.isEmpty)
        #expect(throws: Problem.isTooLarge) { try IgnoreFile(Array((full + "a").utf8)) }
        let many = String(repeating: "a\n", count: IgnoreFile.maximumPatterns)
        #expect(try IgnoreFile(Array(many.utf8)).patterns.count == IgnoreFile.maximumPatterns)
        #expect(throws: Problem.hasTooManyPatterns) { try IgnoreFile(Array((many + "a").utf8)) }
        let long = String(repeating: "a", count: IgnoreFile.maximumLength)
        #expect(try IgnoreFile(Array(long.utf8)).patterns.count == 1)
        #expect(throws: Problem.hasLongPattern(line: 2)) { try IgnoreFile(Array("b\n\(long)a".utf8)) }
    }
}
