import Basics
import Chunking
import CloudModel
import CloudStorage
import Glibc
import TestSupport
import Testing

@testable import Transfers

/// A cloud in memory, with small chunks and files without names.
struct Fixture {
    /// Chunks of about 1 KiB, so that a small file has many.
    static let parameters = ChunkingParameters(minimum: 256, average: 1_024, maximum: 4_096)

    let backend = InMemoryBackend()
    let clock = ManualClock()
    let context: TransferContext
    let container: ContainerName

    init(slots: Int = 8) throws {
        container = try #require(ContainerName("CloudDocs"))
        context = TransferContext(
            backend: backend, slots: TransferSlots(limit: slots, reservedForDemand: 1),
            pool: try BlockingPool(name: "test"), clock: clock, jitter: { 0 })
    }

    var uploader: ContentUploader { ContentUploader(context, parameters: Self.parameters) }

    func upload(_ bytes: [UInt8]) async throws -> UploadResult {
        try await uploader.upload(file(bytes), size: UInt64(bytes.count), to: container)
    }

    func item(_ bytes: [UInt8], stillUnchanged: @escaping @Sendable () -> Bool = { true }) throws -> UploadItem {
        let file = try file(bytes)
        return UploadItem(size: UInt64(bytes.count), open: { file }, stillUnchanged: stillUnchanged)
    }

    func download(
        _ reference: ContentReference, to file: SharedDescriptor, options: ContentDownload.Options = .init()
    ) -> ContentDownload {
        ContentDownload(reference, in: container, to: file, context: context, options: options)
    }

    func file(_ bytes: [UInt8] = []) throws -> SharedDescriptor {
        var path = Array("/tmp/transfers-XXXXXX".utf8CString)
        let file = SharedDescriptor(adopting: try check("mkstemp") { mkstemp(&path) })
        unlink(path)
        try file.write(bytes, at: 0)
        return file
    }

    func file(size: UInt64) throws -> SharedDescriptor {
        let file = try file()
        try check("ftruncate") { ftruncate(file.raw, off_t(size)) }
        return file
    }

    /// Returns all bytes of the file.
    func contents(_ file: SharedDescriptor) throws -> [UInt8] {
        try file.read(at: 0, length: Int(try check("lseek") { lseek(file.raw, 0, SEEK_END) }))
    }
}

func randomBytes(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
    var random = SeededGenerator(seed: seed)
    return random.bytes(count)
}

/// Returns the code of the transfer error thrown by `body`.
func errorCode(_ body: () async throws -> some Any) async -> TransferError.Code? {
    do {
        _ = try await body()
        return nil
    } catch {
        return (error as? TransferError)?.code
    }
}
