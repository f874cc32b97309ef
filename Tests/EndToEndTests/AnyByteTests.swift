import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// A byte of a file changes behind the programs' backs. DAMAGE_ROUNDS=100 runs more rounds, and DAMAGE_SEED=n
    /// repeats one.
    @Suite("A flipped byte anywhere in a device or its cloud")
    struct AnyByteTests {
        private static let environment = ProcessInfo.processInfo.environment

        @Test("a flipped byte is found or harmless; a repair restores everything and keeps the edits")
        func anyByte() async throws {
            let rounds = Self.environment["DAMAGE_ROUNDS"].flatMap { Int($0) } ?? 6
            let start = Self.environment["DAMAGE_SEED"].flatMap { UInt64($0) } ?? .random(in: 0...99_999_999)
            try await TestDevices.with(devices: ["A", "B"]) { test in
                let bench = try await DamageBench(test)
                for seed in start..<start + UInt64(rounds) { try await bench.round(seed: seed) }
                #expect(bench.found.count > 0 || rounds < 6, "no flipped byte was in use")
            }
        }
    }
}

/// Two stopped devices. Each round restores their files before it changes the next byte.
private struct DamageBench {
    private let test: TestDevices
    private let expected: String
    private let kept: String
    let found = Counter()

    final class Counter {
        var count = 0
    }

    init(_ test: TestDevices) async throws {
        self.test = test
        kept = try test.plain("kept")
        expected = try test.plain("expected")
        try await test.a.shell(
            """
            mkdir -p d/e; seq 1 120000 > d/big; for i in 1 2 3 4 5 6 7 8 9; do echo $i > d/e/$i; done; chmod 600 d/e/1
            touch empty; ln -s d/e link; setfattr -n user.tag -v value d/e/2; seq 7 1000 > evicted
            """)
        try await test.a.sync()
        try await test.expectConverged()
        try await test.a.shell("cp -a . \(expected)/")
        try await test.a.evict("evicted")
        // Its bytes are removed in the background. A crash before that leaves them behind, and damage in leftovers is
        // harmless (seed 68801684).
        let size = try await test.a.shell("stat --printf=%s evicted")
        try await eventually("the bytes of the evicted document are gone") {
            try Damage.files(below: "\(test.a.state)/content").allSatisfy { "\($0.size)" != size }
        }
        try await test.a.shell("setfattr -n user.ubiquity.isSyncPaused -v 1 d/e/9; echo edited > d/e/9")
        try await test.a.kill9()
        try await host("cp -a \(test.a.state) \(kept)/crashed")
        try await test.a.start()
        for device in test.devices { try await device.stop() }
        try await host("cp -a \(test.a.state) \(kept)/stopped; cp -a \(test.cloud.directory) \(kept)/cloud")
    }

    @discardableResult
    private func host(_ script: String) async throws -> String {
        try await test.a.runner.run("bash", ["-euc", script], in: "/", limit: .seconds(60)).text()
    }

    func round(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let state = random.chance(25) ? "crashed" : "stopped"
        try await host(
            """
            rm -rf \(test.a.state) \(test.cloud.directory)
            cp -a \(kept)/\(state) \(test.a.state); cp -a \(kept)/cloud \(test.cloud.directory)
            """)
        // A running daemon has already read much of the file.
        let isRunning = random.chance(30)
        if isRunning {
            try await test.a.start()
            try await test.a.shell("ls -lR . ; cat d/e/*")
        }
        let file = try pick(&random)
        let size = try size(of: file)
        // The last frame of a write-ahead log may be torn: without a frame after it, a torn frame cannot be distinguished from damage.
        let end = file.hasSuffix("-wal") ? size - 24 - 4096 : size
        let place = random.number(0..<end)
        try Damage.change(file, at: place, by: UInt8(random.number(1..<256)))
        let what = """
            DAMAGE_SEED=\(seed) DAMAGE_ROUNDS=1: byte \(place) of \(file.dropFirst(test.root.count)), \
            \(state), \(isRunning ? "in use" : "at rest")
            """
        print(what)
        do {
            let isNoticed = isRunning ? false : try await start(what)
            try await expectRepaired(what, isNoticed, isCloud: file.hasPrefix(test.cloud.directory))
        } catch {
            throw EndToEndError("\(what): \(error)")
        }
    }

    private func size(of file: String) throws -> Int {
        try #require(try FileManager.default.attributesOfItem(atPath: file)[.size] as? Int)
    }

    /// Returns the database in half of the cases, otherwise any file with a second copy of its bytes elsewhere.
    private func pick(_ random: inout SeededGenerator) throws -> String {
        let database = ["-wal", ""].map { "\(test.a.state)/metadata.sqlite\($0)" }
        if random.chance(50), let file = random.pick(database.filter { (try? size(of: $0)) ?? 0 > 4120 }) {
            return file
        }
        let files = try Damage.files(below: test.a.state) + Damage.files(below: test.cloud.directory)
        // A lock and a log contain no data, and only this device has the right bytes of an unsent edit.
        let candidates = files.filter { file in
            file.size > 0 && file.size != "edited\n".utf8.count
                && !["lock", "daemon.log", "metadata.sqlite-reserve", "-shm"].contains { file.path.hasSuffix($0) }
        }
        let chosen = random.pick(candidates.map(\.path).sorted())
        return try #require(chosen)
    }

    /// Starts the device and returns whether the start noticed the damage.
    private func start(_ what: String) async throws -> Bool {
        let a = test.a
        let outcome = try await a.tryStart(cloud: test.cloud.url)
        if outcome.succeeded {
            try a.adopt(outcome)
            return outcome.errors.contains("rebuilt")
        }
        // The program reports the damage and changes nothing; the test follows the advice in the message.
        #expect(outcome.errors.contains("settings"), "\(what): \(outcome)")
        try FileManager.default.removeItem(atPath: "\(a.state)/settings.json")
        try a.adopt(try await a.tryStart(cloud: test.cloud.url))
        return true
    }

    private func expectRepaired(_ what: String, _ isNoticed: Bool, isCloud: Bool) async throws {
        let a = test.a
        let check = try await a.ubiquity(["check", a.mount])
        let isFound = isNoticed || check.status == 7
        print(isFound ? "  found" : "  unused")
        if !isFound {
            // Only a database has unused bytes, and only a compressed chunk has irrelevant bytes.
            #expect(!["/content/", "/log/", "/ubiquity-cloud"].contains { what.contains($0) }, "\(what) was not found")
            try await expectAll(evicted: true)
        }
        found.count += isFound ? 1 : 0
        let repair = try await a.ubiquity(["repair", a.mount])
        if repair.status == 7 { try await expectOnlyCloud(what, repair, isCloud: isCloud) }
        try await expectAll(evicted: !repair.errors.contains("could not be checked"))
        try await a.stop()
    }

    /// Checks that only the cloud has damage beyond this device's repair, and that a second device can repair it.
    private func expectOnlyCloud(_ what: String, _ repair: ProgramOutcome, isCloud: Bool) async throws {
        #expect(isCloud, "\(what) is left: \(repair)")
        guard repair.errors.contains("damaged bytes of it") else { return }
        try await test.b.start()
        try await test.b.ubiquity(["repair", test.b.mount]).text()
        try await test.b.stop()
        #expect(try await test.a.ubiquity(["check", test.a.mount]).status == 0)
    }

    /// Waits until every document has its bytes and mode, and the edit is in place or among the recovered edits.
    private func expectAll(evicted: Bool) async throws {
        let rest = evicted ? "" : "-not -name evicted"
        try await eventually("all documents are as they were") {
            try await test.a.shell(
                """
                listed() { find "$1" -not -path '*/Recovered*' -not -name . -not -path '*/e/9' \\( -type f -printf '%P %m\\n' \\
                    -o -type l -printf '%P %l\\n' \\) | sort; }
                diff <(listed \(expected)) <(listed .)
                (cd \(expected); find . -type f \(rest) -not -path '*/e/9') | while read -r f; do cmp "\(expected)/$f" "$f"; done
                test "$(getfattr --only-values -n user.tag d/e/2)" = value
                grep -rqx edited .
                """
            ).isEmpty
        }
    }
}
