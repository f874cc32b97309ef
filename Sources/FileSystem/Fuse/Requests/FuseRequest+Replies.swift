import CFuse3
import Glibc

extension FuseRequest where Reply == FuseReply.Done {
    @discardableResult
    package consuming func succeed() -> Bool { answer { fuse_reply_err($0, 0) } }
}

extension FuseRequest where Reply == FuseReply.Entry {
    @discardableResult
    package consuming func reply(_ entry: FuseEntry) -> Bool {
        var parameters = entry.parameters
        return answer { fuse_reply_entry($0, &parameters) }
    }
}

extension FuseRequest where Reply == FuseReply.Created {
    @discardableResult
    package consuming func reply(_ entry: FuseEntry, _ opened: FuseOpened) -> Bool {
        var parameters = entry.parameters
        var info = opened.fileInfo
        return answer(opened.patch) { fuse_reply_create($0, &parameters, &info) }
    }
}

extension FuseRequest where Reply == FuseReply.Opened {
    @discardableResult
    package consuming func reply(_ opened: FuseOpened) -> Bool {
        var info = opened.fileInfo
        return answer(opened.patch) { fuse_reply_open($0, &info) }
    }
}

extension FuseRequest where Reply == FuseReply.Attributes {
    /// Replies with `attributes`; the kernel may show them for `timeout` without a further request.
    @discardableResult
    package consuming func reply(_ attributes: FuseAttributes, timeout: Duration) -> Bool {
        var status = attributes.status
        return answer { fuse_reply_attr($0, &status, timeout.inSeconds) }
    }
}

extension FuseRequest where Reply == FuseReply.Link {
    /// Replies with `target` without a NUL, at most 4,095 bytes.
    @discardableResult
    package consuming func reply(_ target: [UInt8]) -> Bool {
        answer { request in
            withUnsafeTemporaryAllocation(of: CChar.self, capacity: target.count + 1) { text in
                for (index, byte) in target.enumerated() { text[index] = CChar(bitPattern: byte) }
                text[target.count] = 0
                return fuse_reply_readlink(request, text.baseAddress)
            }
        }
    }
}

extension FuseRequest where Reply == FuseReply.Count {
    /// Replies with the number of bytes written or copied.
    @discardableResult
    package consuming func reply(_ count: Int) -> Bool { answer { fuse_reply_write($0, count) } }
}

extension FuseRequest where Reply == FuseReply.Statistics {
    @discardableResult
    package consuming func reply(_ statistics: FuseStatistics) -> Bool {
        var values = statistics.statistics
        return answer { fuse_reply_statfs($0, &values) }
    }
}

extension FuseRequest where Reply == FuseReply.Offset {
    @discardableResult
    package consuming func reply(_ offset: Int64) -> Bool { answer { fuse_reply_lseek($0, Int(offset)) } }
}

extension FuseRequest where Reply == FuseReply.ExtendedAttribute {
    /// Replies as the system calls require: with the size for a `capacity` of 0, with ERANGE if `value` does not fit, else with its bytes.
    @discardableResult
    package consuming func reply(_ value: UnsafeRawBufferPointer, capacity: Int) -> Bool {
        if capacity == 0 { return answer { fuse_reply_xattr($0, value.count) } }
        if value.count > capacity { return fail(ERANGE) }
        return answer { fuse_reply_buf($0, value.baseAddress, value.count) }
    }

    @discardableResult
    package consuming func reply(_ value: [UInt8], capacity: Int) -> Bool {
        if capacity == 0 { return answer { fuse_reply_xattr($0, value.count) } }
        if value.count > capacity { return fail(ERANGE) }
        return answer { fuse_reply_buf($0, value, value.count) }
    }
}

extension FuseRequest where Reply == FuseReply.Directory {
    @discardableResult
    package consuming func reply(_ buffer: borrowing FuseDirectoryBuffer<FuseReply.Directory>) -> Bool {
        let bytes = buffer.bytes
        return answer { fuse_reply_buf($0, bytes.baseAddress, bytes.count) }
    }
}

extension FuseRequest where Reply == FuseReply.DirectoryPlus {
    @discardableResult
    package consuming func reply(_ buffer: borrowing FuseDirectoryBuffer<FuseReply.DirectoryPlus>) -> Bool {
        let bytes = buffer.bytes
        return answer { fuse_reply_buf($0, bytes.baseAddress, bytes.count) }
    }
}
