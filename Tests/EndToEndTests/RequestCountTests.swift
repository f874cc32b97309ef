import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// A kernel request costs ten times as much as a hit in the kernel's cache, so a workload's number of requests and
    /// transactions is fixed. Unlike times, they do not depend on the machine.
    @Suite("Number of kernel requests", .needsRoot)
    struct RequestCountTests {
        /// The output file of `make bench-requests`. While it is written, the counts are not compared.
        private static let output = ProcessInfo.processInfo.environment["REQUEST_COUNTS"]

        @Test("a workload costs what docs/PERFORMANCE.md says", arguments: RequestWorkload.all)
        func workload(_ workload: RequestWorkload) async throws {
            if let output = Self.output {
                return try append("\(RequestTable.Row(workload, try await tally(workload)))", to: output)
            }
            let expected = try #require(RequestTable.document[workload.name], "docs/PERFORMANCE.md lacks \(workload)")
            try await expectTally(of: workload) {
                RequestTable.Row(workload, $0).isWithin(expected, tolerance: workload.tolerance)
            }
        }

        @Test("docs/PERFORMANCE.md has no other workloads")
        func document() {
            #expect(Set(RequestTable.document.keys) == Set(RequestWorkload.all.map(\.name)))
        }

        @Test("a cached git status sends no more requests for a repository of 200 files than for one of 20")
        func gitStatus() async throws {
            // git opens its own files, and requests the time of each file just read.
            var few: [String: Int] = [:]
            try await expectTally(of: Self.gitStatus(20)) {
                few = $0.requests
                return $0.total <= 60
            }
            try await expectTally(of: Self.gitStatus(200)) { $0.requests == few }
        }

        private static func gitStatus(_ files: Int) -> RequestWorkload {
            RequestWorkload(
                name: "git status of \(files)", script: "cd repository; git status --porcelain",
                preparation: """
                    git init -q repository; cd repository; for i in {1..\(files)}; do echo $i > $i; done
                    touch -d '2026-01-01' *; git add .; git commit -qm first; git status; git status
                    """)
        }

        // MARK: Counting

        /// Expects that `workload` has the right counts. The kernel drops names and attributes when something else on
        /// the machine needs memory, and requests them again. One right result in three tries is therefore sufficient.
        private func expectTally(
            of workload: RequestWorkload, at location: SourceLocation = #_sourceLocation,
            _ isRight: (RequestTally) -> Bool
        ) async throws {
            var rows: [String] = []
            for _ in 1...3 {
                let tally = try await tally(workload)
                if isRight(tally) { return }
                rows.append("\(RequestTable.Row(workload, tally))")
            }
            Issue.record("it cost \(rows)", sourceLocation: location)
        }

        /// Counts on a separate device.
        private func tally(_ workload: RequestWorkload) async throws -> RequestTally {
            var tally: RequestTally?
            try await TestDevices.with(devices: ["A"]) { test in
                try await test.a.shell(workload.preparation)
                // Finished uploads, and the cloud's response, would change rows and attributes behind the kernel's
                // back.
                try await test.a.sync()
                try await test.a.ubiquity(["offline", test.a.mount]).text()
                if workload.isCold { try await test.a.restart() }
                tally = try await test.a.requests(of: workload.script)
            }
            return try #require(tally)
        }

        private func append(_ line: String, to path: String) throws {
            let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
            try (text + line + "\n").write(toFile: path, atomically: true, encoding: .utf8)
        }
    }
}
