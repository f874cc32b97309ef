import Basics
import DeviceSupport
import Glibc
import LocalContent
import LocalMetadata
import Logging
import Testing

@Suite("Removal of the bytes of removed files")
struct BlobRemovalTests {
    private let test: KernellessDevice
    private let timer = HeldTimer()
    private let removal: BlobRemoval

    init() throws {
        test = try KernellessDevice()
        removal = BlobRemoval(
            test.content, test.metadata, background: { [timer] in timer.hold($0) }, log: Logger(label: "test"))
    }

    /// Creates and removes blobs of these nodes.
    private func remove(_ nodes: Range<UInt64>) throws {
        for node in nodes {
            let blob = BlobName(node: node, generation: 1)
            close(try test.content.create(blob))
            removal.remove(blob)
        }
    }

    private func isThere(_ node: UInt64) -> Bool {
        (try? test.content.status(BlobName(node: node, generation: 1))) != nil
    }

    @Test("many blobs are removed in the background, and the caller does not wait")
    func background() throws {
        try remove(1000..<1256)
        #expect(isThere(1000) && isThere(1255))
        timer.fire()
        #expect(!isThere(1000) && !isThere(1255))
    }

    @Test("a flush removes what the background has not removed yet, and few blobs too")
    func flush() throws {
        try remove(1000..<1300)
        removal.flush()
        #expect(!isThere(1000) && !isThere(1299))
        try remove(2000..<2001)
        timer.fire()
        removal.flush()
        #expect(!isThere(2000))
    }

    @Test("the space of a large file is free when its removal returns")
    func large() throws {
        let blob = BlobName(node: 1000, generation: 1)
        let descriptor = try test.content.create(blob)
        #expect(posix_fallocate(descriptor, 0, 17 << 20) == 0)
        close(descriptor)
        removal.remove(blob)
        #expect(!isThere(1000))
    }

    @Test("where the background is too slow, the caller removes blobs itself, so no more than 1,024 wait")
    func limit() throws {
        try remove(1000..<2023)
        #expect(isThere(1000))
        try remove(2023..<2024)
        #expect(!isThere(1000) && !isThere(2023))
    }
}
