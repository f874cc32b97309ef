import DeviceSupport
import Glibc
import LocalMetadata

@testable import Fuse

/// Programs' system calls as the kernel's requests for them. Layouts are those of include/uapi/linux/fuse.h.
extension FakeKernel {
    /// The number of bytes before the attributes in `fuse_entry_out` and in `fuse_attr_out`.
    static let (entryAttributes, attributes) = (40, 16)

    var documents: UInt64 { device.documents.value }

    func lookup(_ name: String, in folder: UInt64? = nil) throws -> Reply {
        try call(.lookup, node: folder ?? documents, Body(name))
    }

    func open(_ node: UInt64, _ flags: Int32 = O_RDONLY) throws -> Reply {
        try call(.open, node: node, Body(UInt32(flags), 0 as UInt32))
    }

    /// Sends `open(O_CREAT | O_RDWR)`.
    func create(_ name: String, flags: Int32 = O_RDWR | O_CREAT, mode: UInt32 = 0o644) throws -> (
        reply: Reply, node: UInt64, handle: UInt64
    ) {
        let reply = try call(
            .create, node: documents, Body(UInt32(flags), S_IFREG | mode, 0o022 as UInt32, 0 as UInt32, name))
        return (reply, reply.number(at: 0), reply.number(at: 128))
    }

    static func readBody(_ handle: UInt64, _ offset: Int64, _ size: UInt32) -> Body {
        Body(handle, UInt64(bitPattern: offset), size, 0 as UInt32, 0 as UInt64, 0 as UInt32, 0 as UInt32)
    }

    func read(_ node: UInt64, _ handle: UInt64, at offset: Int64 = 0, size: UInt32 = 4096) throws -> Reply {
        try call(.read, node: node, Self.readBody(handle, offset, size))
    }

    func write(_ node: UInt64, _ handle: UInt64, _ text: String, at offset: Int64 = 0, flags: UInt32 = 0) throws
        -> Reply
    {
        let bytes = Array(text.utf8)
        let size = UInt32(bytes.count)
        return try call(
            .write, node: node,
            Body(handle, UInt64(bitPattern: offset), size, flags, 0 as UInt64, 0 as UInt32, 0 as UInt32, bytes))
    }

    func release(_ node: UInt64, _ handle: UInt64) throws -> Reply {
        try call(.release, node: node, Body(handle, 0 as UInt32, 0 as UInt32, 0 as UInt64))
    }

    func rename(_ name: String, to other: String, flags: UInt32 = 0) throws -> Reply {
        try call(.rename2, node: documents, Body(documents, flags, 0 as UInt32, name, other))
    }

    /// Sends `struct fuse_setattr_in` with the fields named in `valid`.
    func setattr(
        _ node: UInt64, valid: UInt32, size: UInt64 = 0, seconds: Int64 = 0, nanoseconds: UInt32 = 0, mode: UInt32 = 0
    ) throws -> Reply {
        let time = UInt64(bitPattern: seconds)
        return try call(
            .setattr, node: node,
            Body(
                valid, 0 as UInt32, 0 as UInt64, size, 0 as UInt64, time, time, time, nanoseconds, nanoseconds,
                nanoseconds, mode, 0 as UInt32, 0 as UInt32, 0 as UInt32, 0 as UInt32))
    }

    func interrupt(_ unique: UInt64) throws { try send(FuseRequestCounts.Operation.interrupt.rawValue, Body(unique)) }
}
