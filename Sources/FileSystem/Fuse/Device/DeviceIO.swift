import CFuse3
import Glibc

/// The system calls of libfuse on /dev/fuse, replaced by custom ones, so each reader can have its own channel and
/// messages can carry fields not supported by libfuse.
enum DeviceIO {
    static var calls: fuse_custom_io {
        var calls = fuse_custom_io()
        calls.writev = { device, vectors, count, _ in
            guard let target = ReplyTarget.current, let vectors else { return writev(device, vectors, count) }
            target.pointee.patch.apply(to: vectors, count: count)
            switch target.pointee.channel {
            case .device(let own): return writev(own, vectors, count)
            case .ring(let entry):
                // A handler's notification is no reply, and the kernel takes it from /dev/fuse only.
                return DeviceIO.isNotification(vectors)
                    ? writev(device, vectors, count) : entry._withUnsafeGuaranteedRef { $0.send(vectors, count: count) }
            }
        }
        calls.read = { device, buffer, size, _ in read(DeviceIO.ownDevice ?? device, buffer, size) }
        // Not called for a ring request: its bytes are read into the entry.
        calls.splice_send = { source, sourceOffset, device, deviceOffset, size, flags, _ in
            cfuse_splice(source, sourceOffset, DeviceIO.ownDevice ?? device, deviceOffset, size, flags)
        }
        // No splice_receive: it costs two more system calls for every request except large writes.
        return calls
    }

    /// The descriptor of this thread's reader.
    private static var ownDevice: Int32? {
        guard case .device(let device) = ReplyTarget.current?.pointee.channel else { return nil }
        return device
    }

    private static func isNotification(_ vectors: UnsafeMutablePointer<iovec>) -> Bool {
        guard let header = vectors[0].iov_base, vectors[0].iov_len >= MemoryLayout<kernel_fuse_out_header>.size else {
            return false
        }
        return header.loadUnaligned(as: kernel_fuse_out_header.self).unique == 0
    }
}
