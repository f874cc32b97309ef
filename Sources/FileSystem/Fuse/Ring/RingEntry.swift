import CFuse3
import Glibc

/// A place of a queue: it is free in the kernel, or holds a request until the reply is committed.
///
/// @unchecked: the memory belongs to the kernel while the entry is free, and otherwise to the request's handler.
/// `isHeld`, `wasUsed`, `isLarge` and `refusal` belong to the thread of the queue.
final class RingEntry: @unchecked Sendable {
    /// Kept, because it unmaps the targets of `header` and `payload`.
    private let memory: RingMemory
    private let header: UnsafeMutablePointer<kernel_fuse_ring_header>
    /// The request's arguments except the first, then the reply's body.
    let payload: UnsafeMutableRawPointer
    /// Lives as long as the connection, retained by every request.
    unowned let queue: RingQueue
    var isHeld = false
    /// Whether the entry has ever received a request.
    var wasUsed = false
    /// Replaces EINTR in the current reply; 0: no replacement.
    var refusal: Int32 = 0
    /// Names the entry in the completions of its commands.
    let token: UInt64
    /// Whether the memory holds a large reply.
    var isLarge = false

    init(_ memory: RingMemory, index: Int, queue: RingQueue, token: UInt64) {
        self.memory = memory
        self.token = token
        self.queue = queue
        header = memory.header(index).bindMemory(to: kernel_fuse_ring_header.self, capacity: 1)
        payload = memory.payload(index)
        let vectors = registration
        vectors[0] = iovec(iov_base: header, iov_len: MemoryLayout<kernel_fuse_ring_header>.size)
        vectors[1] = iovec(iov_base: payload, iov_len: RingMemory.payloadSize)
    }

    /// The vectors named by the registration.
    var registration: UnsafeMutablePointer<iovec> {
        let end = UnsafeMutableRawPointer(header) + MemoryLayout<kernel_fuse_ring_header>.size
        return end.assumingMemoryBound(to: iovec.self)
    }

    /// The kernel's number of the request.
    var unique: UInt64 { header.pointee.commit_id }

    private var request: kernel_fuse_in_header {
        UnsafeRawPointer(header).loadUnaligned(as: kernel_fuse_in_header.self)
    }

    /// The request's first argument, after 128 bytes for struct fuse_in_header.
    private var argument: UnsafeRawPointer { UnsafeRawPointer(header) + 128 }

    /// The length of the request's first argument; nil if the kernel's sizes contradict each other.
    private var argumentSize: Int? {
        let payload = Int(header.pointee.payload_size)
        let size = Int(request.len) - MemoryLayout<kernel_fuse_in_header>.size - payload
        return payload <= RingMemory.payloadSize && (0...128).contains(size) ? size : nil
    }

    var route: RingRoute { RingRoute(request.opcode) }

    /// Copies the request to `target`, with room for ``largestMessage`` bytes, in the form used by /dev/fuse.
    ///
    /// - Returns: Its length; nil if the kernel's sizes contradict each other.
    func copyRequest(to target: UnsafeMutableRawPointer) -> Int? {
        guard let argumentSize else { return nil }
        let start = MemoryLayout<kernel_fuse_in_header>.size
        target.copyMemory(from: header, byteCount: start)
        (target + start).copyMemory(from: argument, byteCount: argumentSize)
        (target + start + argumentSize).copyMemory(from: payload, byteCount: Int(header.pointee.payload_size))
        return Int(request.len)
    }

    static let largestMessage = 40 + 128 + RingMemory.payloadSize

    /// Sends libfuse's message as the reply: a header, then the body.
    ///
    /// - Returns: As writev(2) does: the number of bytes sent, or -1 and `errno`.
    func send(_ vectors: UnsafeMutablePointer<iovec>, count: Int32) -> Int {
        let headerSize = MemoryLayout<kernel_fuse_out_header>.size
        guard count >= 1, let first = vectors[0].iov_base, vectors[0].iov_len == headerSize else {
            errno = EINVAL
            return -1
        }
        var reply = first.loadUnaligned(as: kernel_fuse_out_header.self)
        if refusal != 0, reply.error == -EINTR { reply.error = -refusal }
        var size = 0
        for vector in UnsafeBufferPointer(start: vectors + 1, count: Int(count) - 1) {
            guard size + vector.iov_len <= RingMemory.payloadSize else {
                // The kernel requests no more than fits; otherwise the program gets an error and does not wait forever.
                reply.error = -EIO
                size = 0
                break
            }
            // Bytes read into the payload are there already.
            if let bytes = vector.iov_base, bytes != payload + size {
                (payload + size).copyMemory(from: bytes, byteCount: vector.iov_len)
            }
            size += vector.iov_len
        }
        return finish(reply, size) ? headerSize + size : -1
    }

    /// Fails a request unsuitable for libfuse.
    func fail(_ code: Int32) {
        _ = finish(kernel_fuse_out_header(len: 0, error: -code, unique: unique), 0)
    }

    private func finish(_ reply: kernel_fuse_out_header, _ size: Int) -> Bool {
        var reply = reply
        reply.len = UInt32(MemoryLayout<kernel_fuse_out_header>.size + size)
        UnsafeMutableRawPointer(header).storeBytes(of: reply, as: kernel_fuse_out_header.self)
        header.pointee.payload_size = UInt32(size)
        guard queue.finish(self) else {
            // As from /dev/fuse when the mount has ended; libfuse does not log this code.
            errno = ENOENT
            return false
        }
        return true
    }

    /// Gives the payload's memory back. Allowed only between two system calls of the queue's thread, while the entry is
    /// free.
    func trim() {
        madvise(payload, RingMemory.payloadSize, MADV_DONTNEED)
        isLarge = false
    }

    /// The size of the reply being committed.
    var replySize: Int { Int(header.pointee.payload_size) }
}
