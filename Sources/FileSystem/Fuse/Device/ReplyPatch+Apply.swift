import CFuse3
import Glibc

extension ReplyPatch {
    /// Changes the message in `vectors` (a header, then the body) in place. An error message has no body and is left unchanged.
    func apply(to vectors: UnsafeMutablePointer<iovec>, count: Int32) {
        guard count == 2, let body = vectors[1].iov_base else { return }
        let length = vectors[1].iov_len
        switch self {
        case .none: break
        case .open(let flags, let backing):
            let size = MemoryLayout<kernel_fuse_open_out>.size
            guard length >= size else { return }
            // The open reply is at the end: in the reply to a create, the entry precedes it.
            let opened = body.advanced(by: length - size).assumingMemoryBound(to: kernel_fuse_open_out.self)
            opened.pointee.open_flags = flags
            opened.pointee.backing_id = backing
        case .initialise(let agreement):
            guard length >= MemoryLayout<kernel_fuse_init_out>.size else { return }
            agreement.complete(body.assumingMemoryBound(to: kernel_fuse_init_out.self))
        }
    }
}
