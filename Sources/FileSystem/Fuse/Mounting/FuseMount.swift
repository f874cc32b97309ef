import Basics
import CFuse3
import Glibc

/// A mount of this process: its path, and its device number, distinguishing it from other mounts at that path.
struct FuseMount: Sendable {
    let path: String
    /// The file system's device number as in the mount table, so no other mount at this path is removed.
    private let device: String

    /// The connection's number in the kernel's control file system: the device's minor number, as its major number is
    /// 0.
    var connection: UInt32? { device.split(separator: ":").last.flatMap { UInt32($0) } }

    /// Mounts at `path`; the descriptor returned is the connection to the kernel.
    static func make(at path: String, options: FuseOptions) throws(FuseError) -> (FuseMount, device: Int32) {
        let path = try FuseMountPoint.validated(path)
        let device = geteuid() == 0 ? try direct(path, options) : try Fusermount.mount(path, options)
        do throws(FuseError) {
            guard let entry = try FuseMountPoint.topmost(at: path), entry.isFuse else {
                throw FuseError(.system, "The mount at \(path) is not in the mount table, although it was made.")
            }
            return (FuseMount(path: path, device: entry.device), device)
        } catch {
            close(device)
            throw error
        }
    }

    /// Removes this mount, if it still exists, and mounts of the same file system over it (`mount --bind DIR DIR`).
    func unmount(lazily: Bool) throws(FuseError) {
        for _ in 0..<16 {
            guard let entry = try FuseMountPoint.topmost(at: path), entry.device == device else { return }
            try FuseMountPoint.unmount(path, lazily: lazily)
        }
    }

    /// Mounts by `mount(2)` with a /dev/fuse opened by this process itself.
    private static func direct(_ path: String, _ options: FuseOptions) throws(FuseError) -> Int32 {
        let device = open("/dev/fuse", O_RDWR | O_CLOEXEC)
        guard device >= 0 else { throw openFailure(String(cString: strerror(errno))) }
        guard isFuseDevice(device) else {
            close(device)
            throw openFailure("it is not a FUSE device")
        }
        let words = "fd=\(device),rootmode=40000,user_id=\(geteuid()),group_id=\(getegid()),\(shared(options))"
        let flags = UInt(cfuse_mount_flags(options.isReadOnly ? 1 : 0))
        guard Glibc.mount(options.name, path, "fuse.\(options.name)", flags, words) == 0 else {
            let code = errno
            close(device)
            throw mountFailure(code, path)
        }
        return device
    }

    /// Returns the options common to `mount(2)` and `fusermount3`.
    static func shared(_ options: FuseOptions) -> String {
        "default_permissions" + (options.isOpenToOthers ? ",allow_other" : "")
    }

    /// Returns whether `descriptor` is the character device 10, 229 (Documentation/admin-guide/devices.txt of Linux).
    private static func isFuseDevice(_ descriptor: Int32) -> Bool {
        var information = stat()
        return fstat(descriptor, &information) == 0 && information.st_mode & S_IFMT == S_IFCHR
            && information.st_rdev == 10 << 8 | 229
    }

    private static func openFailure(_ reason: String) -> FuseError {
        FuseError(
            .device,
            "/dev/fuse cannot be opened (\(reason)). Load the kernel module with `modprobe fuse`; in a container, pass the device in."
        )
    }

    private static func mountFailure(_ code: Int32, _ path: String) -> FuseError {
        let reason = String(cString: strerror(code))
        switch code {
        case EPERM, EACCES:
            return FuseError(
                .notPermitted,
                "Mounting at \(path) is not permitted (\(reason)). It needs CAP_SYS_ADMIN; in a container, grant it.")
        case EBUSY: return FuseError(.alreadyMounted, "\(path) is in use as a mount. Unmount it first.")
        default: return FuseError(.system, "Mounting at \(path) failed: \(reason).")
        }
    }
}
