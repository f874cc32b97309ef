import Basics
import CFuse3
import DeviceSupport
import Foundation
import Glibc
import Logging
import Mount
import Synchronization
import VirtualFileSystem

@testable import Fuse

/// The kernel's end of a FUSE connection, held by a test: requests enter as bytes, pass through libfuse and the
/// readers' threads to a real file system, and leave as replies. A socket with preserved message boundaries replaces
/// /dev/fuse.
final class FakeKernel: Sendable {
    let device: KernellessDevice
    let mount: MountedFileSystem
    let connection: FuseConnection
    private let end: Int32
    private let close: @Sendable () -> Void
    private let number = Atomic<UInt64>(0)
    /// The thread named by requests from now on.
    let thread = Atomic<UInt32>(1)

    struct Reply: Equatable {
        /// An error number of errno(3), or 0 for success.
        let error: Int32
        let unique: UInt64
        let body: [UInt8]

        /// Returns the little-endian number at `offset`.
        func number<T: FixedWidthInteger>(_ type: T.Type = UInt64.self, at offset: Int) -> T {
            guard body.count >= offset + MemoryLayout<T>.size else { return 0 }
            return body.withUnsafeBytes { T(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: T.self)) }
        }
    }

    /// Runs `body` with a mounted device, and then ends the session.
    static func with(
        _ device: KernellessDevice, permits: (any AccessPermits)? = nil, downloads: (any DownloadPermits)? = nil,
        readers: Int = 1, minor: UInt32 = 38, flags: Int = 0, _ body: (FakeKernel) async throws -> Void
    ) async throws {
        let kernel = try FakeKernel(device, permits, downloads, readers)
        do {
            guard try kernel.start(minor, flags).error == 0 else { throw Errno(EPROTO, "no agreement") }
            try await body(kernel)
        } catch {
            _ = await kernel.stop()
            throw error
        }
        _ = await kernel.stop()
    }

    private init(
        _ device: KernellessDevice, _ permits: (any AccessPermits)?, _ downloads: (any DownloadPermits)?, _ readers: Int
    ) throws {
        self.device = device
        var ends: [Int32] = [-1, -1]
        try check("socketpair") {
            socketpair(AF_UNIX, Int32(bitPattern: SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends)
        }
        end = ends[0]
        var log = Logger(label: "test")
        log.logLevel = .critical
        mount = MountedFileSystem(
            device.files, invalidator: KernelInvalidator(device.files, log: log), permits: permits,
            downloads: downloads, log: log)
        var options = FuseOptions()
        (options.readerCount, options.clonesDevice) = (readers, false)
        connection = try FuseConnection(device: ends[1], fileSystem: mount, options: options, logger: log)
        close = try FuseReaders.start(connection)
    }

    /// Sends FUSE_INIT: protocol 7.`minor` with the optional features of `flags`.
    private func start(_ minor: UInt32, _ flags: Int) throws -> Reply {
        try call(.start, Body(7 as UInt32, minor, 0 as UInt32, UInt32(flags), [UInt8](repeating: 0, count: 48)))
    }

    deinit { Glibc.close(end) }

    /// Ends the session as ``FuseSession/stop()`` does. Returns once no handler is running.
    func stop() async -> FuseEnding {
        connection.lifecycle.requestStop()
        close()
        return await connection.lifecycle.waitForEnd()
    }

    // MARK: Messages

    /// Sends a request without waiting for the reply.
    ///
    /// - Returns: The number of the request.
    @discardableResult
    func send(_ code: UInt32, node: UInt64 = 1, _ body: Body = Body()) throws -> UInt64 {
        let unique = number.add(2, ordering: .relaxed).newValue
        try send(code, node: node, body, unique: unique)
        return unique
    }

    func send(_ code: UInt32, node: UInt64, _ body: Body, unique: UInt64) throws {
        let size = MemoryLayout<kernel_fuse_in_header>.size
        var header = kernel_fuse_in_header()
        header.len = UInt32(size + body.bytes.count)
        (header.opcode, header.unique, header.nodeid) = (code, unique, node)
        (header.uid, header.gid, header.pid) = (1000, 1000, thread.load(ordering: .relaxed))
        try send(withUnsafeBytes(of: header) { Array($0) } + body.bytes)
    }

    func send(_ message: [UInt8]) throws {
        try check("send") { Glibc.send(end, message, message.count, Int32(MSG_NOSIGNAL)) }
    }

    /// Waits for the next reply on a separate thread, because a task sending a reply needs the tests' threads.
    func received() async throws -> Reply {
        try await OwnThread.run("fake-kernel") { Result { try self.receive() } }.get()
    }

    /// Waits for the next reply. Fails if none arrives within two minutes, as a program would hang.
    func receive() throws -> Reply {
        var look = pollfd(fd: end, events: Int16(POLLIN), revents: 0)
        guard try check("poll", { poll(&look, 1, 120_000) }) > 0 else { throw Errno(ETIMEDOUT, "no reply") }
        var buffer = [UInt8](repeating: 0, count: 1 << 17)
        let count = try check("recv") { recv(end, &buffer, buffer.count, 0) }
        let size = MemoryLayout<kernel_fuse_out_header>.size
        guard count >= size else { throw Errno(EPROTO, "a reply of \(count) bytes") }
        let header = buffer.withUnsafeBytes { $0.loadUnaligned(as: kernel_fuse_out_header.self) }
        guard header.len == count else { throw Errno(EPROTO, "a reply of \(count) bytes says \(header.len)") }
        return Reply(error: -header.error, unique: header.unique, body: Array(buffer[size..<count]))
    }

    /// Whether an unread reply has arrived. Does not wait.
    var hasReply: Bool {
        var look = pollfd(fd: end, events: Int16(POLLIN), revents: 0)
        return poll(&look, 1, 0) > 0
    }

    /// Sends a request and returns its reply, which must be the next.
    func call(_ code: UInt32, node: UInt64 = 1, _ body: Body = Body()) throws -> Reply {
        let unique = try send(code, node: node, body)
        let reply = try receive()
        guard reply.unique == unique else { throw Errno(EPROTO, "a reply to \(reply.unique), not to \(unique)") }
        return reply
    }

    func call(_ operation: FuseRequestCounts.Operation, node: UInt64 = 1, _ body: Body = Body()) throws -> Reply {
        try call(operation.rawValue, node: node, body)
    }
}

/// The body of a request: numbers in the kernel's byte order, names with a final NUL, and bytes as they are.
struct Body {
    private(set) var bytes: [UInt8] = []

    init(_ parts: Any...) {
        for part in parts {
            switch part {
            case let number as UInt32: withUnsafeBytes(of: number.littleEndian) { bytes += $0 }
            case let number as UInt64: withUnsafeBytes(of: number.littleEndian) { bytes += $0 }
            case let text as String: bytes += Array(text.utf8) + [0]
            case let other as [UInt8]: bytes += other
            default: preconditionFailure("\(type(of: part)) is no part of a request")
            }
        }
    }
}
