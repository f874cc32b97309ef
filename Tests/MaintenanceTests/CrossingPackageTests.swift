import CloudModel
import CloudStorage
import LocalMetadata
import Sync
import TestSupport
import Testing
import VirtualFileSystem

/// Whole engines with all their loops; CrossingTests have the same step by step.
@Suite("Two engines that change one package at the same moment")
struct CrossingPackageTests {
    @Test("both batches are on their way at once, and both devices show both wholes", .timeLimit(.minutes(1)))
    func crossing() async throws {
        let backend = InMemoryBackend()
        let tests = try [TestEngine(backend, device: 7), TestEngine(backend, device: 8)]
        let package = try tests[0].files.makeFolder(
            Array("d.rtfd".utf8), in: tests[0].documents.node, permissions: 0o755, caller: tests[0].caller)
        for name in ["x", "y"] { try tests[0].save(name, 10, in: package.node) }
        let running = tests.map { test in Task { [engine = test.engine] in await engine.run() } }
        for test in tests { try await test.until { $0 == [["x": 10, "y": 10]] } }
        for test in tests { await test.untilTold() }
        backend.gate.hold(.append)
        for (number, test) in tests.enumerated() {
            let shown = try #require(try test.item("d.rtfd"))
            try test.save(["x", "y"][number], UInt64(11 + number), in: shown.node)
            test.engine.localTreeChanged()
        }
        await backend.gate.untilHeld(2)
        backend.gate.open()
        for test in tests { try await test.until { $0 == [["x": 10, "y": 12], ["x": 11, "y": 10]] } }
        for task in running { task.cancel() }
        for task in running { await task.value }
    }
}

extension TestEngine {
    fileprivate var caller: Caller { Caller(user: 1000, group: 1000) }

    /// A file of that size: made, or written over.
    fileprivate func save(_ name: String, _ size: UInt64, in folder: NodeID) throws {
        let bytes = [UInt8](repeating: UInt8(size), count: Int(size))
        let handle: OpenHandle
        if let old = try metadata.read({ try $0.local.item(named: try ItemName(name), in: folder) }) {
            handle = try files.open(old.node, canWrite: true, truncate: true)
        } else {
            handle = try files.create(Array(name.utf8), in: folder, permissions: 0o644, caller: caller).1
        }
        defer { files.release(handle) }
        _ = try bytes.withUnsafeBytes { try files.write($0, at: 0, in: handle) }
    }

    /// Returns once these are the sizes of the files in the packages that it shows, in the order of their sizes.
    fileprivate func until(_ isShown: ([[String: UInt64]]) -> Bool) async throws {
        while try !isShown(packages()) { await Task.yield() }
    }

    /// Returns once nothing here waits to be sent.
    fileprivate func untilTold() async {
        while (try? metadata.read { try $0.pending.totals().items }) != 0 { await Task.yield() }
    }

    private func packages() throws -> [[String: UInt64]] {
        let folder = try documents.node
        return try metadata.read { transaction in
            try transaction.local.children(of: folder, limit: 9).filter(\.isPackage).map { package in
                let files = try transaction.local.children(of: package.node, limit: 9)
                return Dictionary(uniqueKeysWithValues: files.map { ($0.name.description, $0.size) })
            }.sorted { ($0["x"] ?? 0) < ($1["x"] ?? 0) }
        }
    }
}
