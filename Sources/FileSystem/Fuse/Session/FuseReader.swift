import Basics
import CFuse3
import Glibc
import Logging

/// A request-handling thread: it passes each request to libfuse, to be parsed and dispatched to the file system.
final class FuseReader {
    let connection: FuseConnection
    /// The channel of the current request.
    private(set) var channel: ReplyChannel
    /// The queue of this thread; nil for other threads.
    private let queue: RingQueue?
    /// The memory of the request: libfuse's, allocated at the first read and reused for each later one, or an entry's
    /// copy.
    private var buffer = fuse_buf()
    /// Whether the current request must drop set-id bits.
    private(set) var clearsSetID = false
    /// The result of the current FUSE_INIT.
    private(set) var agreement = FuseAgreement(offer: kernel_fuse_init_in(), options: FuseOptions())

    private static let slot = ThreadSlot()

    init(connection: FuseConnection, device: Int32) {
        self.connection = connection
        channel = .device(device)
        queue = nil
    }

    /// A reader of entries, on the thread of `queue` or on a helper's.
    init(connection: FuseConnection, queue: RingQueue?) {
        self.connection = connection
        channel = .device(connection.devices[0])
        self.queue = queue
        buffer.mem = malloc(RingEntry.largestMessage)
    }

    deinit { free(buffer.mem) }

    /// The reader running on this thread. libfuse's callbacks run nowhere else.
    static var current: FuseReader {
        guard let pointer = slot.value else { preconditionFailure("libfuse called back outside of a reader") }
        return Unmanaged<FuseReader>.fromOpaque(pointer).takeUnretainedValue()
    }

    /// The queue of this thread.
    static var queue: RingQueue? {
        slot.value.flatMap { Unmanaged<FuseReader>.fromOpaque($0).takeUnretainedValue().queue }
    }

    /// The bytes of the current request.
    var message: UnsafeRawPointer { UnsafeRawPointer(buffer.mem) }

    /// Calls `step` to handle requests until it returns false.
    func serve(_ step: (FuseReader, RequestNote) -> Bool) {
        Self.slot.value = Unmanaged.passUnretained(self).toOpaque()
        defer { Self.slot.value = nil }
        let note = RequestNote()
        RequestCosts.$isServing.withValue(true) {
            while step(self, note) {}
        }
    }

    /// Reads and handles requests until the mount has ended or the session stops. `close` ends the session.
    func run(_ close: @escaping @Sendable () -> Void) {
        guard case .device(let device) = channel else { return }
        serve { _, note in
            fuse_session_exited(connection.session) == 0 && step(device, note, close)
        }
        noteLibraryFailure()
    }

    /// Handles a request; returns false when there are no more.
    private func step(_ device: Int32, _ note: RequestNote, _ close: @escaping @Sendable () -> Void) -> Bool {
        let size = ReplyTarget.with(channel: channel, patch: .none) {
            fuse_session_receive_buf(connection.session, &buffer)
        }
        if size == 0 { return false }
        if size < 0 { return shouldContinue(after: -size) }
        let header = message.load(as: kernel_fuse_in_header.self)
        if header.opcode == KERNEL_FUSE_OP_INIT { agreement = negotiate(close) }
        process(header, size: Int(size), note)
        switch Int(header.opcode) {
        case KERNEL_FUSE_OP_INTERRUPT: fireInterrupt()
        // Only after the reply: before it, the kernel would refuse a backing file, and the entries of a ring.
        case KERNEL_FUSE_OP_INIT:
            connection.rings?.begin()
            connection.lifecycle.markServing(agreement)
        default: break
        }
        return true
    }

    /// Handles the request of an entry.
    func handle(_ entry: RingEntry, _ note: RequestNote) {
        guard let memory = buffer.mem, let size = entry.copyRequest(to: memory) else { return entry.fail(EIO) }
        buffer.size = size
        channel = .ring(.passUnretained(entry))
        process(message.load(as: kernel_fuse_in_header.self), size: size, note)
    }

    private func process(_ header: kernel_fuse_in_header, size: Int, _ note: RequestNote) {
        connection.counts.add(header.opcode)
        let start = connection.logger.logLevel <= .trace ? ContinuousClock.now : nil
        clearsSetID = wantsSetIDCleared(header)
        note.begin(message, size: size)
        ReplyTarget.with(channel: channel, patch: patch(for: header)) {
            fuse_session_process_buf(connection.session, &buffer)
        }
        note.end()
        connection.counts.finish()
        if let start { trace(header, since: start) }
    }

    private func trace(_ header: kernel_fuse_in_header, since start: ContinuousClock.Instant) {
        let operation = FuseRequestCounts.Operation(rawValue: header.opcode).map { "\($0)" } ?? "\(header.opcode)"
        connection.logger.trace(
            "call",
            metadata: [
                "of": "\(operation)", "node": "\(header.nodeid)", "process": "\(header.pid)",
                "took": "\(start.duration(to: .now))",
            ])
    }

    /// Returns whether to read on. EINTR comes from the signal waking a reader to check whether the session stops.
    private func shouldContinue(after code: Int32) -> Bool {
        if connection.lifecycle.isStopping { return false }
        if code == EINTR || code == EAGAIN { return true }
        connection.lifecycle.noteFailure(Errno(code, "read /dev/fuse"))
        return false
    }

    private func patch(for header: kernel_fuse_in_header) -> ReplyPatch {
        header.opcode == KERNEL_FUSE_OP_INIT ? .initialise(agreement) : .none
    }

    /// Decides which parts of the current FUSE_INIT to accept.
    private func negotiate(_ close: @escaping @Sendable () -> Void) -> FuseAgreement {
        var offer = kernel_fuse_init_in()
        let headerSize = MemoryLayout<kernel_fuse_in_header>.size
        let length = Int(message.load(as: kernel_fuse_in_header.self).len) - headerSize
        // Older kernels send less; the missing fields are zero.
        let known = min(max(0, length), MemoryLayout<kernel_fuse_init_in>.size)
        withUnsafeMutableBytes(of: &offer) { $0.copyMemory(from: .init(start: message + headerSize, count: known)) }
        var agreement = FuseAgreement(offer: offer, options: connection.options)
        if agreement.mayUseRings { agreement.transport = connection.openRings(close) }
        return agreement
    }

    /// Runs the handler of a request marked as interrupted by libfuse, outside of libfuse's locks.
    private func fireInterrupt() {
        let unique = message.load(fromByteOffset: MemoryLayout<kernel_fuse_in_header>.size, as: UInt64.self)
        connection.interrupts.fire(unique)
    }

    /// Records that libfuse ended the session, as it does when it and the kernel cannot agree at the start.
    private func noteLibraryFailure() {
        if connection.lifecycle.agreement == nil, !connection.lifecycle.isStopping,
            fuse_session_exited(connection.session) != 0
        {
            connection.lifecycle.noteFailure(Errno(EPROTO, "FUSE_INIT"))
        }
    }

    /// Returns whether a request wants set-ID bits dropped. libfuse does not pass these flags on, and removes the one
    /// of setattr from the message before it calls back.
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

    /// Turns a request of libfuse into a value requiring a reply.
    func adopt<Reply>(_ request: OpaquePointer?) -> FuseRequest<Reply> {
        guard let request else { preconditionFailure("libfuse called back without a request") }
        let header = message.load(as: kernel_fuse_in_header.self)
        return FuseRequest(
            RequestHandle(
                request: request, connection: .passRetained(connection), channel: channel, unique: header.unique))
    }
}
