import CFuse3

/// The caller: its ids in the namespaces of the mount. All are zero when the kernel itself writes back.
package struct FuseContext: Sendable, Equatable {
    package let user: UInt32
    package let group: UInt32
    /// The calling thread, as in `gettid(2)`; its process may have a different number.
    package let process: Int32
    /// The caller's umask; the kernel has already applied it to the modes in requests.
    package let umask: UInt32

    init(of request: OpaquePointer) {
        let context = fuse_req_ctx(request)
        user = context?.pointee.uid ?? 0
        group = context?.pointee.gid ?? 0
        process = context?.pointee.pid ?? 0
        umask = context?.pointee.umask ?? 0
    }
}
