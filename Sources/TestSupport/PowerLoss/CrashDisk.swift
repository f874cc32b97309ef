import Basics
import Fuse
import Glibc
import Logging

/// A file system with a single file, `disk`, whose every write and flush is logged before it is acknowledged. The
/// kernel caches none of its bytes (FOPEN_DIRECT_IO), so the log has the requests received by a device below a file
/// system.
final class CrashDisk: FuseFileSystem {
    private static let disk: FuseNode = 2
    private static let name = "disk"
    private let image: Int32
    private let log: Int32
    private let size: Int64
    /// Names and attributes never change, and bytes are not cached.
    private let timeout = Duration.seconds(3600)

    init(image: String, log: String) throws {
        self.image = Int32(try check("open \(image)") { Glibc.open(image, O_RDWR | O_CLOEXEC) })
        self.log = Int32(
            try check("open \(log)") { Glibc.open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600) })
        size = Int64(Glibc.lseek(self.image, 0, SEEK_END))
    }

    private func attributes(_ node: FuseNode) -> FuseAttributes {
        FuseAttributes(
            node: node, mode: node == Self.disk ? S_IFREG | 0o600 : S_IFDIR | 0o700, user: geteuid(), group: getegid(),
            size: node == Self.disk ? size : 0, modificationTime: .zero)
    }

    func lookup(parent: FuseNode, name: borrowing FuseName, request: consuming FuseRequest<Reply.Entry>) {
        if name.text == Self.name {
            request.reply(FuseEntry(attributes(Self.disk), timeout: timeout))
        } else {
            request.reply(.absent(timeout: timeout))
        }
    }

    func getattr(node: FuseNode, handle: FuseHandle?, request: consuming FuseRequest<Reply.Attributes>) {
        request.reply(attributes(node), timeout: timeout)
    }

    func open(node: FuseNode, flags: FuseOpenFlags, request: consuming FuseRequest<Reply.Opened>) {
        request.reply(FuseOpened(handle: node, options: .directIO))
    }

    func read(
        node: FuseNode, handle: FuseHandle, offset: Int64, size: Int, flags: FuseOpenFlags,
        request: consuming FuseRequest<Reply.Data>
    ) { request.reply(from: image, at: offset, count: size) }

    func write(
        node: FuseNode, handle: FuseHandle, offset: Int64, payload: borrowing FusePayload, clearsSetID: Bool,
        request: consuming FuseRequest<Reply.Count>
    ) {
        do throws(Errno) {
            let bytes = try payload.copy()
            try append(CrashLog.header(place: UInt64(offset), length: bytes.count) + bytes)
            try check("pwrite") { pwrite(image, bytes, bytes.count, off_t(offset)) }
            request.reply(bytes.count)
        } catch { request.fail(error) }
    }

    func fsync(
        node: FuseNode, handle: FuseHandle, dataOnly: Bool, request: consuming FuseRequest<Reply.Done>
    ) {
        do throws(Errno) {
            try append(CrashLog.header(place: CrashLog.flushMark, length: 0))
            request.succeed()
        } catch { request.fail(error) }
    }

    private func append(_ record: [UInt8]) throws(Errno) {
        let count = try check("write") { Glibc.write(log, record, record.count) }
        guard count == record.count else { throw Errno(ENOSPC, "the log of the crash disk") }
    }

    func flush(
        node: FuseNode, handle: FuseHandle, lockOwner: UInt64, request: consuming FuseRequest<Reply.Done>
    ) { request.succeed() }

    func release(
        node: FuseNode, handle: FuseHandle, flags: FuseOpenFlags, request: consuming FuseRequest<Reply.Done>
    ) { request.succeed() }
}

/// The process serving a crash disk.
package enum DiskProcess {
    /// Serves the bytes of `image` as `folder`/disk until it is unmounted. Calls `ready` once it is mounted.
    package static func serve(image: String, log: String, at folder: String, ready: () -> Void) async throws {
        var options = FuseOptions()
        options.name = "crashdisk"
        options.usesPassthrough = false
        // With a single reader the order of the log is the order of the acknowledgements.
        options.readerCount = 1
        let session = try await FuseSession.mount(
            try CrashDisk(image: image, log: log), at: folder, options: options, logger: Logger(label: "crashdisk"))
        ready()
        _ = await session.waitUntilEnded()
    }
}
