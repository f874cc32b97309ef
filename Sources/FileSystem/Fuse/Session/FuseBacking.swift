package import Basics
import CFuse3
import Glibc

/// A local file registered with the kernel as the content of files of the mount.
package struct FuseBacking: Sendable, Hashable {
    let id: Int32
}

extension FuseSession {
    /// Whether the kernel offers passthrough and ``register(backing:)`` may succeed. Registering still needs
    /// CAP_SYS_ADMIN.
    package var offersPassthrough: Bool { connection.lifecycle.agreement?.passthrough ?? false }

    /// Registers an open file, to be returned in ``FuseOpened``. `file` may be closed afterwards; the kernel keeps it.
    ///
    /// All overlapping opens of a node must name the same backing, and no open without one may overlap with them: the
    /// kernel refuses that with EIO. Throws EPERM without the privilege, EOPNOTSUPP if the kernel does not offer
    /// passthrough, ELOOP if the file is on a stacked file system.
    package func register(backing file: Int32) throws(Errno) -> FuseBacking {
        guard offersPassthrough else { throw Errno(EOPNOTSUPP, "register a backing file") }
        let device = connection.devices[0]
        return FuseBacking(
            id: try check("register a backing file") { kernel_fuse_backing_open(device, file) })
    }

    /// Releases the registration; files opened with it continue to use it.
    package func unregister(_ backing: FuseBacking) throws(Errno) {
        let device = connection.devices[0]
        try check("unregister a backing file") { kernel_fuse_backing_close(device, backing.id) }
    }
}
