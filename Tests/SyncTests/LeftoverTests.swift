import Basics
import DeviceSupport
import Glibc
import LocalContent
import LocalMetadata
import Logging
import Synchronization
import Testing

@testable import Sync

/// Tests the removal of blobs left behind by a dead process.
@Suite("Leftovers")
struct LeftoverTests {
    /// Runs an action before the next sync of the database.
    private final class Interruption: Sendable {
        private let action = Mutex<(@Sendable () throws -> Void)?>(nil)

        func set(_ action: @escaping @Sendable () throws -> Void) { self.action.withLock { $0 = action } }

        @Sendable func pass(_ call: DatabaseCall) throws {
            guard call == .sync else { return }
            let action = action.withLock { action in
                defer { action = nil }
                return action
            }
            try action?()
        }
    }

    private let interruption = Interruption()
    private let device: KernellessDevice

    init() throws { device = try KernellessDevice(onCall: interruption.pass) }

    private func sweep() throws {
        var log = Logger(label: "test")
        log.logLevel = .critical
        let recovery = Recovery(metadata: device.metadata, content: device.content, time: SystemTime(), log: log)
        try recovery.sweep(startedAt: Timestamp(nanoseconds: .max)) { _ in false }
    }

    /// Creates the blob of the next new document, as a process does whose row was never committed.
    private func makeLeftover() throws -> BlobName {
        try device.save("first", "text")
        let last = try #require(try device.row("first"))
        let blob = BlobName(node: last.node.value + 1, generation: last.generation)
        // A separate store, because this store's process did not create it.
        let earlier = try ContentStore(directory: "\(device.directory)/content")
        close(try earlier.create(blob))
        return blob
    }

    @Test("a leftover is removed")
    func removed() throws {
        let blob = try makeLeftover()
        try sweep()
        #expect(throws: Errno(ENOENT)) { try device.content.status(blob) }
        #expect(try device.text("first") == "text")
    }

    @Test("a document keeps its bytes if its blob gets the name of a leftover that is being removed")
    func taken() throws {
        let blob = try makeLeftover()
        let device = device
        interruption.set { try device.save("second", "more text") }
        try sweep()
        #expect(try device.row("second")?.blob == blob)
        #expect(try device.text("second") == "more text")
    }

    @Test("no leftover is removed once the sweep has ended")
    func ended() throws {
        let blob = try makeLeftover()
        device.content.endSweep()
        try sweep()
        #expect(try device.content.status(blob).size == 0)
    }
}
