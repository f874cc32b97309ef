import Basics
import Foundation
import Glibc
import LocalContent
import LocalMetadata
import Logging
import TestSupport
import Testing

extension PowerLoss {
    /// After a failed sync, the kernel treats the unwritten data as written, so the next sync succeeds without a write.
    @Suite("A failed sync and the next one", .needsRoot)
    struct FailedSyncTests {
        private static let bytes = Data(repeating: 0x5A, count: 300_000)
        private let log = Logger(label: "test")

        @Test(
            "after a blob's sync failed, no later sync of it in this process succeeds, and the next start rewrites the blob; a plain fdatasync would succeed"
        )
        func blob() async throws {
            try await RefusingVolume.with { volume in
                let blob = BlobName(node: 17, generation: 1)
                let store = try ContentStore(directory: "\(volume.path)/content")
                close(try store.create(blob))
                try store.sync(blob)
                try await volume.refuse()
                let control = try Self.fill(open("\(volume.path)/plain", O_RDWR | O_CREAT | O_CLOEXEC, 0o600))
                let document = try Self.fill(store.open(blob))
                defer {
                    close(control)
                    close(document)
                }
                #expect(fdatasync(control) == -1, "the disk took everything: nothing is tested")
                #expect(throws: Errno.self) { try store.syncBytes(of: blob, document) }
                try volume.takeAgain()
                #expect(fdatasync(control) == 0, "this kernel does not forget: the rule would not be needed")
                #expect(throws: Errno.self) { try store.sync(blob) }
                try ContentStore(directory: "\(volume.path)/content").sync(blob)
                try await volume.afterPowerLoss { disk in
                    #expect(Self.bytes(of: "\(disk)/plain") != Self.bytes, "the control was kept too")
                    #expect(Self.bytes(of: "\(disk)/content/\(ContentStore.path(of: blob))") == Self.bytes)
                }
            }
        }

        @Test(
            "after a commit's sync failed, no later sync in this process succeeds, and the next start writes the commits again"
        )
        func commits() async throws {
            try await RefusingVolume.with { volume in
                let path = "\(volume.path)/metadata.sqlite"
                let first = try MetadataDatabase(path: path, log: log)
                try Self.fillBlock(of: "\(path)-wal") { try first.write { try $0.setSetting("before", Data()) } }
                try first.makeDurable()
                try await volume.refuse()
                try first.write { try $0.setSetting("refused", Self.bytes) }
                #expect(throws: MetadataError.self) { try first.makeDurable() }
                try volume.takeAgain()
                try first.write { try $0.setSetting("key", Self.bytes) }
                let error = #expect(throws: MetadataError.self) { try first.makeDurable() }
                #expect(error?.code == .notDurable)
                let second = try MetadataDatabase(path: path, log: log)
                try second.makeDurable()
                try await volume.afterPowerLoss { disk in
                    let there = try MetadataDatabase(path: "\(disk)/metadata.sqlite", log: log, mayHaveLostPower: true)
                    #expect(try there.read { try $0.setting("refused") } == Self.bytes)
                    #expect(try there.read { try $0.setting("key") } == Self.bytes)
                    try there.close()
                }
            }
        }

        /// Grows a file until its size is a multiple of the disk's block size, so that data appended later gets
        /// separate blocks.
        private static func fillBlock(of path: String, by growing: () throws -> Void) throws {
            for _ in 0..<4096 {
                try growing()
                var status = stat()
                try check("stat") { stat(path, &status) }
                if status.st_size % 4096 == 0 { return }
            }
            throw EndToEndError("\(path) never ends with a block")
        }

        /// Fills a just opened file and returns its descriptor.
        private static func fill(_ descriptor: Int32) throws -> Int32 {
            let count = try check("write") { bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) } }
            try #require(count == bytes.count)
            return descriptor
        }

        private static func bytes(of path: String) -> Data? { FileManager.default.contents(atPath: path) }
    }
}
