import Basics
import CFuse3
import Glibc

/// The loop of one thread: it reads a request, lets libfuse parse it, calls the file system, and repeats until the mount ends.
final class FuseReader {
    let connection: FuseConnection
    let device: Int32
    /// libfuse allocates the memory at the first read and reuses it for each later one.
    private var buffer = fuse_buf()
    /// Whether the request that is being handled must drop set-id bits.
    private(set) var clearsSetID = false

    private static let slot = ThreadSlot()

    init(connection: FuseConnection, device: Int32) {
        self.connection = connection
        self.device = device
    }

    deinit { free(buffer.mem) }

    /// The reader that runs on this thread. libfuse's callbacks run nowhere else.
    static var current: FuseReader {
        guard let pointer = slot.value else { preconditionFailure("libfuse called back outside of a reader") }
        return Unmanaged<FuseReader>.fromOpaque(pointer).takeUnretainedValue()
    }

    /// The bytes of the request that is being handled.
    var message: UnsafeRawPointer { UnsafeRawPointer(buffer.mem) }

    /// Reads and handles requests until the mount has ended or the session stops.
    func run() {
        Self.slot.value = Unmanaged.passUnretained(self).toOpaque()
        defer { Self.slot.value = nil }
        let note = RequestNote()
        RequestCosts.$isServing.withValue(true) {
            while fuse_session_exited(connection.session) == 0, step(note) {}
        }
        noteLibraryFailure()
    }

    /// Handles one request; returns false when there are no more.
    private func step(_ note: RequestNote) -> Bool {
        let size = ReplyTarget.with(device: device, patch: .none) {
            fuse_session_receive_buf(connection.session, &buffer)
        }
        if size == 0 { return false }
        if size < 0 { return shouldContinue(after: -size) }
        let header = message.load(as: kernel_fuse_in_header.self)
        connection.counts.add(header.opcode)
        clearsSetID = wantsSetIDCleared(header)
        note.begin(message, size: Int(size))
        defer {
            note.end()
            connection.counts.finish()
        }
        ReplyTarget.with(device: device, patch: patch(for: header)) {
            fuse_session_process_buf(connection.session, &buffer)
        }
        switch Int(header.opcode) {
        case KERNEL_FUSE_OP_INTERRUPT: fireInterrupt()
        // Only after the reply: before it, the kernel would refuse a backing file.
        case KERNEL_FUSE_OP_INIT: connection.lifecycle.markServing(agreement)
        default: break
        }
        return true
    }

    /// Returns whether to read on. EINTR comes from the signal that wakes a reader to check whether the session stops.
    private func shouldContinue(after code: Int32) -> Bool {
        if connection.lifecycle.isStopping { return false }
        if code == EINTR || code == EAGAIN { return true }
        connection.lifecycle.noteFailure(Errno(code, "read /dev/fuse"))
        return false
    }

    private func patch(for header: kernel_fuse_in_header) -> ReplyPatch {
        header.opcode == KERNEL_FUSE_OP_INIT ? .initialise(agreement) : .none
    }

    /// The agreement that results from the FUSE_INIT that is being handled.
    var agreement: FuseAgreement {
        var offer = kernel_fuse_init_in()
        let headerSize = MemoryLayout<kernel_fuse_in_header>.size
        let length = Int(message.load(as: kernel_fuse_in_header.self).len) - headerSize
        // Older kernels send less; the missing fields are zero.
        let known = min(max(0, length), MemoryLayout<kernel_fuse_init_in>.size)
        withUnsafeMutableBytes(of: &offer) { $0.copyMemory(from: .init(start: message + headerSize, count: known)) }
        return FuseAgreement(offer: offer, options: connection.options)
    }

    /// Runs the handler of a request that libfuse has marked as interrupted, outside of libfuse's locks.
    private func fireInterrupt() {
        let unique = message.load(fromByteOffset: MemoryLayout<kernel_fuse_in_header>.size, as: UInt64.self)
        connection.interrupts.fire(unique)
    }

    /// Records that libfuse ended the session by itself, as it does when it and the kernel cannot agree at the start.
    private func noteLibraryFailure() {
        if connection.lifecycle.agreement == nil, !connection.lifecycle.isStopping,
            fuse_session_exited(connection.session) != 0
        {
            connection.lifecycle.noteFailure(Errno(EPROTO, "FUSE_INIT"))
        }
    }

    /// Returns whether a request wants set-ID bits dropped. libfuse does not pass these flags on, and removes the one of setattr from the
    /// message before it calls back.
    private func wantsSetIDCleared(_ header: kernel_fuse_in_header) -> Bool {
        let body = MemoryLayout<kernel_fuse_in_header>.size
        switch Int(header.opcode) {
        case KERNEL_FUSE_OP_SETATTR:
            return Int(message.load(fromByteOffset: body, as: UInt32.self)) & KERNEL_FATTR_KILL_SUIDGID != 0
        case KERNEL_FUSE_OP_OPEN:
            // struct fuse_open_in: the flags of open(2), then the kernel's own.
            return Int(message.load(fromByteOffset: body + 4, as: UInt32.self)) & KERNEL_FUSE_OPEN_KILL_SUIDGID != 0
        case KERNEL_FUSE_OP_WRITE:
            let write = message.load(fromByteOffset: body, as: kernel_fuse_write_in.self)
            return Int(write.write_flags) & KERNEL_FUSE_WRITE_KILL_SUIDGID != 0
        default: return false
        }
    }

    /// Turns a request of libfuse into a value that must be replied to.
    func adopt<Reply>(_ request: OpaquePointer?) -> FuseRequest<Reply> {
        guard let request else { preconditionFailure("libfuse called back without a request") }
        let header = message.load(as: kernel_fuse_in_header.self)
        return FuseRequest(
            RequestHandle(
                request: request, connection: .passRetained(connection), device: device, unique: header.unique))
    }
}
