import Foundation
import Glibc
import Maintenance
import Testing

@Suite("Replacing the old state by a rebuilt one, with crashes at any step")
struct StateSwapTests {
    private func withState(_ body: (_ state: String, _ swap: StateSwap) throws -> Void) throws {
        let state = NSTemporaryDirectory() + "/ubiquity-swap-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: state) }
        for folder in ["content/11", "rebuild/content/11"] {
            try FileManager.default.createDirectory(atPath: "\(state)/\(folder)", withIntermediateDirectories: true)
        }
        for (name, text) in [
            ("metadata.sqlite", "old"), ("metadata.sqlite-wal", "old"), ("content/11/17.1", "clean"),
            ("content/11/17.2", "unknown"), ("rebuild/metadata.sqlite", "new"), ("rebuild/content/11/17.1", "edit"),
        ] { try Data(text.utf8).write(to: URL(filePath: "\(state)/\(name)")) }
        try body(state, StateSwap(state: state))
    }

    private func text(_ path: String) -> String? {
        FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) }
    }

    private func expectSwapped(_ state: String, _ after: Int) {
        #expect(text("\(state)/metadata.sqlite") == "new", "after \(after) steps")
        #expect(text("\(state)/metadata.sqlite-wal") == nil, "after \(after) steps")
        #expect(text("\(state)/content/11/17.1") == "edit", "after \(after) steps")
        #expect(text("\(state)/content/11/17.2") == nil, "after \(after) steps")
        #expect(text("\(state)/set-aside/x/metadata.sqlite") == "old", "after \(after) steps")
        #expect(text("\(state)/set-aside/x/metadata.sqlite-wal") == "old", "after \(after) steps")
        #expect(
            text("\(state)/set-aside/x/content/11/17.2") == "unknown", "an unknown file stays, after \(after) steps")
        #expect(text("\(state)/set-aside/x/content/11/17.1") == nil, "what the cloud has goes, after \(after) steps")
        #expect(text("\(state)/set-aside/x/report.json")?.contains("a test") == true)
        #expect(access("\(state)/rebuild", F_OK) != 0)
    }

    private func commit(_ state: String) -> StateSwap.Commit {
        StateSwap.Commit(
            report: RebuildReport(reason: "a test", aside: "\(state)/set-aside/x"), kept: ["11/17.2"])
    }

    @Test("the states are swapped, and a second run finds nothing to do")
    func whole() throws {
        try withState { state, swap in
            try swap.commit(commit(state))
            expectSwapped(state, -1)
            let again = try swap.resume()
            #expect(again == nil)
            expectSwapped(state, -1)
        }
    }

    @Test("a crash after any step is completed by the next start", arguments: 0...5)
    func interrupted(steps: Int) throws {
        try withState { state, swap in
            let aside = "\(state)/set-aside/x"
            try JSONEncoder().encode(commit(state)).write(to: URL(filePath: "\(state)/rebuild/commit.json"))
            try FileManager.default.createDirectory(atPath: aside, withIntermediateDirectories: true)
            let moves = [
                ("metadata.sqlite", "set-aside/x/metadata.sqlite"),
                ("metadata.sqlite-wal", "set-aside/x/metadata.sqlite-wal"), ("content", "set-aside/x/content"),
                ("rebuild/content", "content"), ("rebuild/metadata.sqlite", "metadata.sqlite"),
            ]
            for (source, target) in moves.prefix(steps) {
                try #require(rename("\(state)/\(source)", "\(state)/\(target)") == 0)
            }
            #expect(try swap.resume() != nil)
            expectSwapped(state, steps)
        }
    }

    @Test("an incomplete build is removed, and the old state is unchanged")
    func incomplete() throws {
        try withState { state, swap in
            let again = try swap.resume()
            #expect(again == nil)
            #expect(text("\(state)/metadata.sqlite") == "old" && text("\(state)/content/11/17.1") == "clean")
            #expect(access("\(state)/rebuild", F_OK) != 0 && access("\(state)/set-aside", F_OK) != 0)
        }
    }
}
