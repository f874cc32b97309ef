package import Basics
import CFuse3
import Glibc

/// The bytes of a write, in the request's own memory: valid while the handler runs, so it can be borrowed but not kept.
package struct FusePayload: ~Copyable {
    private let vector: UnsafeMutablePointer<fuse_bufvec>

    init(_ vector: UnsafeMutablePointer<fuse_bufvec>) { self.vector = vector }

    /// The number of bytes.
    package var count: Int { fuse_buf_size(vector) }

    /// The bytes in memory, or nil if they are in a pipe (only if the session splices requests).
    package var bytes: UnsafeRawBufferPointer? {
        let buffer = vector.pointee.buf
        guard vector.pointee.count == 1, buffer.flags.rawValue & FUSE_BUF_IS_FD.rawValue == 0 else { return nil }
        return UnsafeRawBufferPointer(start: buffer.mem, count: buffer.size)
    }

    /// Returns a separate copy of the bytes.
    package func copy() throws(Errno) -> [UInt8] {
        if let bytes { return Array(bytes) }
        let total = count
        var copied = 0
        let result = [UInt8](unsafeUninitializedCapacity: total) { memory, initialised in
            var target = cfuse_buffers()
            target.buf.mem = UnsafeMutableRawPointer(memory.baseAddress)
            target.buf.size = total
            copied = fuse_buf_copy(&target, vector, fuse_buf_copy_flags(rawValue: 0))
            initialised = max(0, copied)
        }
        guard copied == total else { throw Errno(copied < 0 ? Int32(-copied) : EIO, "read a request") }
        return result
    }

    /// Writes all bytes to `file` at `offset` and returns the number written: fewer only when the disk is full or a
    /// limit is reached.
    package func write(to file: Int32, at offset: Int64) throws(Errno) -> Int {
        var target = cfuse_buffers()
        let flags = FUSE_BUF_IS_FD.rawValue | FUSE_BUF_FD_SEEK.rawValue | FUSE_BUF_FD_RETRY.rawValue
        target.buf.flags = fuse_buf_flags(rawValue: flags)
        target.buf.fd = file
        target.buf.pos = Int(offset)
        target.buf.size = count
        let written = fuse_buf_copy(&target, vector, fuse_buf_copy_flags(rawValue: 0))
        guard written >= 0 else { throw Errno(Int32(-written), "write") }
        return written
    }
}
