import CLinux
import Glibc

/// The kernel's control of one FUSE connection, for aborting it (Documentation/filesystems/fuse.rst of Linux, "Control
/// filesystem"). The owner of the mount and root may use it.
///
/// It keeps nothing of the connection open, and controls nothing once that has ended, not even a later connection with
/// the same number.
package final class FuseControl: Sendable {
    /// Any bytes written to it abort the connection.
    package let descriptor: Int32

    /// Opens the control file. If the control file system is not mounted, as in containers, root mounts it for this
    /// file, at no path.
    ///
    /// - Parameter connection: the minor number of the mounted file system's device.
    package init(connection: UInt32) throws(Errno) {
        let usual = open("/sys/fs/fuse/connections/\(connection)/abort", O_WRONLY | O_CLOEXEC)
        if usual >= 0 || geteuid() != 0 {
            descriptor = try check("open the control of a FUSE connection") { usual }
            return
        }
        let root = try check("mount fusectl") { linux_mount_nowhere("fusectl") }
        defer { close(root) }
        descriptor = try check("open the control of a FUSE connection") {
            openat(root, "\(connection)/abort", O_WRONLY | O_CLOEXEC)
        }
    }

    deinit { close(descriptor) }

    /// Ends the connection: requests fail, and every process waiting for a request in the kernel continues. Does
    /// nothing if the connection has ended.
    package func abort() { _ = write(descriptor, "1", 1) }
}
