import Basics
import CloudModel
import Sync
import TestSupport
import Testing

@Suite("Package timeline")
struct PackageTimelineTests {
    /// A package with a log written entry by entry, and the device's kept contents of it.
    private struct History {
        struct File {
            let item: ItemID
            var content: UInt64
            var version: VersionID
            var modified: Timestamp
        }

        var sequence: UInt64 = 0
        var clock: Int64 = 1_000
        var files: [String: File] = [:]
        var past: [PackageContent] = []
        /// The state of the package after each entry that left files in it.
        var states: [[String: UInt64]] = []
        private var nextItem: UInt64 = 1
        private var nextContent: UInt64 = 1
        private var index: UInt32 = 0

        /// Runs `body` as a single entry, with files modified before it, and records the state afterwards.
        mutating func entry(_ body: (inout History) throws -> Void) rethrows {
            sequence += 1
            clock += 10
            index = 0
            try body(&self)
            states.append(files.mapValues(\.content))
        }

        mutating func write(_ name: String) throws {
            let version = VersionID(sequence: LogSequence(sequence), index: index)
            index += 1
            var item = ItemID(high: 1 << 63, low: nextItem)
            if let old = files[name] {
                item = old.item
                past.append(try content(name, old, ended: true))
            } else {
                nextItem += 1
            }
            files[name] = File(
                item: item, content: nextContent, version: version, modified: Timestamp(seconds: clock - 5))
            nextContent += 1
        }

        mutating func remove(_ name: String) throws {
            guard let old = files.removeValue(forKey: name) else { return }
            past.append(try content(name, old, ended: true))
        }

        /// Removes and writes all files, as programs do that save by exchanging the whole folder.
        mutating func replaceAll() throws {
            let names = files.keys.sorted()
            for name in names { try remove(name) }
            for name in names { try write(name) }
        }

        func contents() throws -> [PackageContent] {
            try past + files.map { try content($0.key, $0.value, ended: false) }
        }

        private func content(_ name: String, _ file: File, ended: Bool) throws -> PackageContent {
            PackageContent(
                path: [try ItemName(name)], item: file.item, body: .file(.sample(file.content)), permissions: 0o644,
                version: file.version, modified: file.modified, device: "A",
                ended: ended ? Timestamp(seconds: clock) : nil)
        }

        /// The nonempty states that differ from the current state, newest first. Equal states in a row count once.
        var expected: [[String: UInt64]] {
            var found: [[String: UInt64]] = []
            for state in states.reversed() where !state.isEmpty && state != states.last && state != found.last {
                found.append(state)
            }
            return found
        }
    }

    private func shown(_ states: [PackageState]) -> [[String: UInt64]] {
        states.map { state in
            Dictionary(
                uniqueKeysWithValues: state.contents.map {
                    ($0.path.map(\.description).joined(separator: "/"), $0.size)
                })
        }
    }

    private func states(_ contents: [PackageContent], since oldest: Timestamp = .zero) -> [PackageState] {
        PackageTimeline(contents).states(since: oldest, limit: 1_000)
    }

    private func randomHistory(
        _ generator: inout SeededGenerator, isReplacing: Bool
    ) throws -> History {
        var history = History()
        let names = ["a", "b", "c", "d"]
        try history.entry { for name in names { try $0.write(name) } }
        for _ in 0..<generator.number(1..<20) {
            try history.entry { history in
                if generator.chance(15) { return try history.replaceAll() }
                var touched: Set<String> = []
                if isReplacing {
                    touched.insert("a")
                    try history.write("a")
                }
                for _ in 0..<generator.number(1..<4) {
                    guard let name = generator.pick(names), touched.insert(name).inserted else { continue }
                    if generator.chance(30), history.files.count > 1 {
                        try history.remove(name)
                    } else {
                        try history.write(name)
                    }
                }
            }
        }
        return history
    }

    @Test("if each entry replaces one content, exactly the states of the package are found", arguments: 0..<300)
    func exact(seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        let history = try randomHistory(&generator, isReplacing: true)
        let found = shown(states(try history.contents().shuffled(using: &generator)))
        #expect(found == history.expected)
    }

    @Test("whatever the entries do, no state is found that the package never had", arguments: 0..<300)
    func sound(seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        let history = try randomHistory(&generator, isReplacing: false)
        var had = Array(history.states.reversed())[...]
        for state in shown(states(try history.contents().shuffled(using: &generator))) {
            let index = try #require(had.firstIndex(of: state), "\(state) in \(history.states)")
            had = had[(index + 1)...]
        }
    }

    @Test("a save of one file is a state of the whole package, with its device, size and time")
    func oneFile() throws {
        var history = History()
        try history.entry {
            try $0.write("a")
            try $0.write("b")
        }
        try history.entry { try $0.write("b") }
        let state = try #require(states(try history.contents()).first)
        #expect(state.version == VersionID(sequence: LogSequence(1), index: 0))
        #expect(state.size == 3 && state.device == "A")
        #expect(state.modified == Timestamp(seconds: 1_005) && state.superseded == Timestamp(seconds: 1_020))
    }

    @Test("an entry that only removes a file has a version of its own")
    func removal() throws {
        var history = History()
        try history.entry {
            try $0.write("a")
            try $0.write("b")
        }
        try history.entry { try $0.remove("b") }
        try history.entry { try $0.write("a") }
        let versions = states(try history.contents()).map(\.version.description)
        #expect(versions == ["1.1", "1.0"])
    }

    @Test(
        "if one entry adds a file and another removes one, no state between them is listed, as they may be one entry"
    )
    func unordered() throws {
        var history = History()
        try history.entry {
            try $0.write("a")
            try $0.write("b")
        }
        try history.entry {
            try $0.remove("b")
            try $0.write("c")
        }
        try history.entry { try $0.write("a") }
        #expect(shown(states(try history.contents())) == [["a": 1, "c": 3], ["a": 1, "b": 2]])
    }

    @Test("a state is left out if a file version in it was removed from the history")
    func gap() throws {
        var history = History()
        try history.entry {
            try $0.write("a")
            try $0.write("b")
        }
        for name in ["a", "b", "a", "b"] { try history.entry { try $0.write(name) } }
        let removed = try history.contents().filter { $0.version != VersionID(sequence: LogSequence(2), index: 0) }
        let found = shown(states(removed))
        #expect(found == [["a": 5, "b": 4], ["a": 1, "b": 2]])
    }

    @Test("a state in which a file was in conflict is left out")
    func conflict() throws {
        var history = History()
        try history.entry { try $0.write("a") }
        try history.entry { try $0.write("a") }
        try history.entry { try $0.write("a") }
        let first = try #require(history.past.first)
        let lost = PackageContent(
            path: first.path, item: first.item, body: .file(.sample(99)), permissions: 0o644,
            version: VersionID(sequence: LogSequence(1), index: 7), modified: first.modified, device: "B",
            ended: Timestamp(seconds: 1_011))
        let found = shown(states(try history.contents() + [lost]))
        #expect(!found.contains { $0.values.contains(99) })
        #expect(found.first == ["a": 2])
    }

    @Test("states that were superseded before the oldest time asked for are left out")
    func age() throws {
        var history = History()
        for _ in 0..<4 { try history.entry { try $0.write("a") } }
        let found = states(try history.contents(), since: Timestamp(seconds: 1_030))
        #expect(found.map(\.superseded) == [Timestamp(seconds: 1_040), Timestamp(seconds: 1_030)])
    }
}
