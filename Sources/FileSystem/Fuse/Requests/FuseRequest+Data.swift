import CFuse3
import Glibc

extension FuseRequest where Reply == FuseReply.Data {
    /// Replies with at most the requested number of bytes; fewer only at the end of the file, or if it is open for
    /// direct input.
    @discardableResult
    package consuming func reply(_ bytes: UnsafeRawBufferPointer) -> Bool {
        answer { fuse_reply_buf($0, bytes.baseAddress, bytes.count) }
    }

    @discardableResult
    package consuming func reply(_ bytes: [UInt8]) -> Bool {
        answer { fuse_reply_buf($0, bytes, bytes.count) }
    }

    /// Replies as above, with bytes lent without a closure: a request cannot be consumed in a closure.
    @discardableResult
    package consuming func reply(_ bytes: RawSpan) -> Bool {
        answer { request in
            bytes.withUnsafeBytes { fuse_reply_buf(request, $0.baseAddress, $0.count) }
        }
    }

    /// Replies with a range of `file`: spliced from the page cache without a copy in this process if the reply is at
    /// least two pages. Bytes beyond the end of the file are left out.
    @discardableResult
    package consuming func reply(from file: Int32, at offset: Int64, count: Int) -> Bool {
        if case .ring(let entry) = channel {
            return reply(from: file, at: offset, count: count, in: entry.takeUnretainedValue())
        }
        return answer { request in
            var source = cfuse_buffers()
            let flags = FUSE_BUF_IS_FD.rawValue | FUSE_BUF_FD_SEEK.rawValue | FUSE_BUF_FD_RETRY.rawValue
            source.buf.flags = fuse_buf_flags(rawValue: flags)
            source.buf.fd = file
            source.buf.pos = Int(offset)
            source.buf.size = count
            return fuse_reply_data(request, &source, FUSE_BUF_SPLICE_MOVE)
        }
    }

    /// Reads the range into the memory of `entry`, from which the kernel copies.
    private consuming func reply(from file: Int32, at offset: Int64, count: Int, in entry: RingEntry) -> Bool {
        let limit = min(count, RingMemory.payloadSize)
        var size = 0
        while size < limit {
            let result = pread(file, entry.payload + size, limit - size, Int(offset) + size)
            if result < 0, errno == EINTR { continue }
            if result < 0, size == 0 { return fail(errno) }
            if result <= 0 { break }
            size += result
        }
        return answer { fuse_reply_buf($0, entry.payload, size) }
    }
}
