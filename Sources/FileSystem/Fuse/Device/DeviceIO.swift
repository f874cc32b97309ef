import CFuse3
import Glibc

/// The system calls that libfuse makes on /dev/fuse, replaced by our own, so that each reader can have its own channel and messages can
/// carry fields that libfuse does not support.
enum DeviceIO {
    static var calls: fuse_custom_io {
        var calls = fuse_custom_io()
        calls.writev = { device, vectors, count, _ in
            guard let target = ReplyTarget.current, let vectors else { return writev(device, vectors, count) }
            target.pointee.patch.apply(to: vectors, count: count)
            return writev(target.pointee.device, vectors, count)
        }
        calls.read = { device, buffer, size, _ in read(ReplyTarget.current?.pointee.device ?? device, buffer, size) }
        calls.splice_send = { source, sourceOffset, device, deviceOffset, size, flags, _ in
            let device = ReplyTarget.current?.pointee.device ?? device
            return cfuse_splice(source, sourceOffset, device, deviceOffset, size, flags)
        }
        // No splice_receive: it costs two more system calls for every request that is not a large write.
        return calls
    }
}
