import TestSupport
import Testing

extension EndToEnd {
    @Suite("git")
    struct GitTests {
        /// A repository with three commits, a branch, a merge and a packed history.
        private static let history = """
            export GIT_AUTHOR_DATE='2026-01-01T00:00:00Z' GIT_COMMITTER_DATE='2026-01-01T00:00:00Z'
            git init -q -b main project && cd project
            mkdir -p source/deep; for i in $(seq 1 40); do echo "line $i" > "source/deep/file $i.txt"; done
            git add . && git commit -qm first
            git mv 'source/deep/file 1.txt' moved.txt && git commit -qm moved
            git checkout -qb branch && echo more >> moved.txt && git commit -qam branch
            git checkout -q main && echo other > other.txt && git add . && git commit -qm other
            git merge -q -m merged branch
            git gc -q --prune=now
            cd .. && git clone -q project clone 2> /dev/null && git clone -q --no-local project remote
            """

        @Test("init, add, commit, merge, gc and clone work, and B has the same repositories")
        func history() async throws {
            try await TestDevices.with(devices: ["A", "B"]) { test in
                // Packs and indexes contain inode numbers and times.
                try await test.expectSameEverywhere(Self.history, varying: [".git"], limit: .seconds(240))
                for repository in ["project", "clone", "remote"] {
                    try await test.a.shell("cd \(repository) && git fsck --strict --no-progress 2>&1")
                    #expect(try await test.a.shell("cd \(repository) && git status --porcelain").isEmpty)
                    try await test.b.shell("cd \(repository) && git fsck --strict --no-progress 2>&1")
                    #expect(try await test.b.shell("cd \(repository) && git status --porcelain").isEmpty)
                }
                let log = try await test.a.shell("cd project && git log --format=%H")
                #expect(log.split(separator: "\n").count == 5)
                #expect(try await test.b.shell("cd remote && git log --format=%H") == log)
            }
        }

        @Test("a commit made on B arrives in A's repository")
        func takeTurns() async throws {
            try await TestDevices.withTwo { _, a, b in
                try await a.shell("git init -q -b main p && cd p && echo 1 > f && git add . && git commit -qm one")
                try await a.sync()
                try await eventually("B has the repository whole") {
                    try await b.tryShell("cd p && git fsck && test -z \"$(git status --porcelain)\"").succeeded
                }
                try await b.shell("cd p && echo 2 > f && git commit -qam two")
                try await b.sync()
                try await eventually("A has B's commit") {
                    try await a.tryShell("cd p && test \"$(git log --format=%s | head -1)\" = two && git fsck")
                        .succeeded
                }
                #expect(try await a.contents("p/f") == "2")
            }
        }
    }
}
