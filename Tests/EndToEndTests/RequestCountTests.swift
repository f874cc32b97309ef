import TestSupport
import Testing

extension EndToEnd {
    /// A request of the kernel costs ten times as much as a hit in its own cache, so the number of requests of a workload is fixed. Unlike
    /// times, it does not depend on the machine.
    @Suite("Number of kernel requests", .needsRoot)
    struct RequestCountTests {
        // MARK: Names and attributes

        @Test("a name that does not exist is looked up once, however often a program tries it")
        func absent() async throws {
            try await expectCost(of: "for i in 1 2 3; do test ! -e absent; done", ["lookup": 1])
        }

        @Test("stat of items that were created or listed here sends no request, however often it is repeated")
        func stat() async throws {
            try await expectCost(of: "stat file file > /dev/null", after: ": > file; stat file", [:])
        }

        @Test("ls -l of a cached folder sends no request for its entries")
        func list() async throws {
            // The kernel probes for access lists, once of the folder and once of the first entry, and does not cache the results.
            try await expectCost(
                of: "ls -l folder | wc -l", after: "mkdir folder; touch folder/{1..100}; ls -l folder; ls -l folder",
                ["opendir": 1, "releasedir": 1, "getxattr": 2])
        }

        @Test("a rename is one request, and so is a removal")
        func renameAndRemove() async throws {
            try await expectCost(
                of: "mv old new; rm new", after: ": > old; test ! -e new",
                ["lookup": 1, "rename2": 1, "unlink": 1, "getattr": 2])
        }

        // MARK: Bytes

        @Test("reading a small cached file is an open and a release")
        func read() async throws {
            try await expectCost(
                of: "cat file > /dev/null", after: "echo hello > file; cat file; stat file", ["open": 1, "release": 1])
        }

        @Test("grep -r through a cached folder is an open and a release for each file, and no request for their bytes")
        func grep() async throws {
            let grep = "grep -r nothing folder || true"
            try await expectCost(
                of: grep, after: "mkdir folder; for i in {1..50}; do echo $i > folder/$i; done; \(grep); stat folder/*",
                ["open": 50, "release": 50, "opendir": 2, "releasedir": 2])
        }

        @Test(
            "a thousand writes to an open file send no write request: the kernel writes by itself, and requests attributes once"
        )
        func writes() async throws {
            let write = "dd if=/dev/zero of=file bs=4096 count=1000 conv=notrunc status=none"
            try await expectCost(of: write, after: write, ["open": 1, "release": 1, "getattr": 1, "getxattr": 1])
        }

        @Test(
            "creating a small file is four requests: lookup, create, one getxattr for the write, and release"
        )
        func create() async throws {
            try await expectCost(
                of: "dd if=/dev/zero of=new bs=4096 count=1 conv=excl status=none",
                ["lookup": 1, "create": 1, "getxattr": 1, "release": 1])
        }

        // MARK: Programs

        @Test("an atomic save is at most ten requests")
        func save() async throws {
            try await expectCost(
                of: "dd if=/dev/zero of=temporary bs=4096 count=1 conv=fsync status=none; mv temporary document",
                after: "echo old > document; stat document"
            ) { $0["fsync"] == 1 && $0.values.reduce(0, +) <= 10 }
        }

        @Test("cp copies within the mount with one copy_file_range")
        func copy() async throws {
            try await expectCost(
                of: "cp file copy", after: "head -c 1000000 /dev/zero > file; stat file; test ! -e copy"
            ) { $0["copyFileRange"] == 1 && $0["read"] == nil && $0["write"] == nil && $0.values.reduce(0, +) <= 9 }
        }

        @Test("a cached git status sends no more requests for a repository of 200 files than for one of 20")
        func gitStatus() async throws {
            // git opens its own files, and requests the time of each file that it has just read.
            var few: [String: Int] = [:]
            try await expectCost(of: Self.status, after: Self.repository(20)) {
                few = $0
                return $0.values.reduce(0, +) <= 60
            }
            try await expectCost(of: Self.status, after: Self.repository(200)) { $0 == few }
        }

        private static let status = "cd repository; git status --porcelain"

        private static func repository(_ files: Int) -> String {
            """
            git init -q repository; cd repository; for i in {1..\(files)}; do echo $i > $i; done
            touch -d '2026-01-01' *; git add .; git commit -qm first; git status; git status
            """
        }

        // MARK: Counting

        private func expectCost(
            of script: String, after preparation: String = "true", _ expected: [String: Int],
            at location: SourceLocation = #_sourceLocation
        ) async throws {
            try await expectCost(of: script, after: preparation, at: location) { $0 == expected }
        }

        /// Expects that `script` after `preparation` costs the right number of requests. The kernel drops names and attributes when
        /// something else on the machine needs memory, and requests them again. One right result in three tries is therefore sufficient.
        private func expectCost(
            of script: String, after preparation: String = "true", at location: SourceLocation = #_sourceLocation,
            _ isRight: ([String: Int]) -> Bool
        ) async throws {
            var costs: [[String: Int]] = []
            for _ in 1...3 {
                let cost = try await cost(of: script, after: preparation)
                if isRight(cost) { return }
                costs.append(cost)
            }
            Issue.record("it cost \(costs)", sourceLocation: location)
        }

        /// Returns the requests of `script` after `preparation`, on a device of its own.
        private func cost(of script: String, after preparation: String) async throws -> [String: Int] {
            var counts: [String: Int] = [:]
            try await TestDevices.with(devices: ["A"]) { test in
                try await test.a.shell(preparation)
                // A pending upload would change attributes behind the kernel's back.
                try await test.a.sync()
                counts = try await test.a.requests(of: script)
            }
            return counts
        }
    }
}
