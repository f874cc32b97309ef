import Basics
import CloudModel
import CloudStorage
import DeviceSupport
import LocalMetadata
import Sync
import TestSupport
import Testing
import VirtualFileSystem

/// Runs whole engines with all their loops. ``CrossingTests`` covers the same cases step by step.
@Suite("Two engines that change one package at the same time")
struct CrossingPackageTests {
    @Test("both batches are sent at once, and both devices show both versions of the package", .timeLimit(.minutes(10)))
    func crossing() async throws {
        let backend = InMemoryBackend()
        let tests = try [7, 8].map { try KernellessDevice(backend, id: DeviceID($0), time: SystemTime()) }
        let package = try tests[0].makeFolder("d.rtfd")
        for name in ["x", "y"] { try tests[0].save(name, 10, in: package) }
        let running = tests.map { test in Task { [engine = test.engine] in await engine.run() } }
        for test in tests { try await test.until { $0 == [["x": 10, "y": 10]] } }
        for test in tests { await test.untilSent() }
        backend.gate.hold(.append)
        for (number, test) in tests.enumerated() {
            let shown = try #require(try test.row("d.rtfd"))
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

extension KernellessDevice {
    /// Creates a file of `size` bytes, or overwrites it.
    fileprivate func save(_ name: String, _ size: UInt64, in folder: NodeID) throws {
        let bytes = [UInt8](repeating: UInt8(size), count: Int(size))
        let handle: OpenHandle
        if let old = try row(name, in: folder) {
            handle = try files.open(old.node, canWrite: true, truncate: true)
        } else {
            handle = try create(name, in: folder).handle
        }
        defer { files.release(handle) }
        try write(bytes, to: handle)
    }

    /// Returns once `isShown` is true for the sizes of the files in each package, by name. Packages are ordered by the size of their file
    /// `x`.
    fileprivate func until(_ isShown: ([[String: UInt64]]) -> Bool) async throws {
        while try !isShown(packages()) { await Task.yield() }
    }

    /// Returns once no local change waits to be sent.
    fileprivate func untilSent() async {
        while (try? metadata.read { try $0.pending.totals().items }) != 0 { await Task.yield() }
    }

    private func packages() throws -> [[String: UInt64]] {
        try metadata.read { transaction in
            try transaction.local.children(of: documents, limit: 9).filter(\.isPackage).map { package in
                let files = try transaction.local.children(of: package.node, limit: 9)
                return Dictionary(uniqueKeysWithValues: files.map { ($0.name.description, $0.size) })
            }.sorted { ($0["x"] ?? 0) < ($1["x"] ?? 0) }
        }
    }
}
