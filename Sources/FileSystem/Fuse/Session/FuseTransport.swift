import Glibc

/// How kernel requests arrive.
package enum FuseTransport: Sendable, Equatable {
    /// By io_uring, with one queue per processor; forgets and interrupts still by /dev/fuse.
    case rings(queues: Int)
    /// By reading /dev/fuse.
    case device(Reason)

    /// Why io_uring is not used.
    package enum Reason: Sendable, Equatable {
        case unwanted
        /// The kernel is older than Linux 6.14, or was built without FUSE over io_uring.
        case unknownToKernel
        /// The kernel module's parameter `enable_uring` is off.
        case notEnabled
        /// The kernel does not directly read and write files for this mount. All bytes would then be copied once more.
        case noPassthrough
        /// The kernel refused a prerequisite.
        case refused(String)
    }
}

extension FuseTransport: CustomStringConvertible {
    package var description: String {
        switch self {
        case .rings(let queues): "io_uring, \(queues) \(queues == 1 ? "queue" : "queues")"
        case .device(let reason): "/dev/fuse, because \(reason)"
        }
    }
}

extension FuseTransport.Reason: CustomStringConvertible {
    package var description: String {
        switch self {
        case .unwanted: "this mount does not request io_uring"
        case .unknownToKernel: "the kernel has no FUSE over io_uring (Linux 6.14 has it)"
        case .notEnabled:
            "io_uring is not enabled (/etc/modprobe.d/ubiquity.conf: `options fuse enable_uring=1`)"
        case .noPassthrough:
            "io_uring is used only by mounts of root, where the kernel reads and writes files by itself"
        case .refused(let message): "io_uring could not be used (\(message))"
        }
    }

    /// Returns the reason why the kernel's FUSE_INIT offers no io_uring.
    static func absent() -> Self {
        // The parameter exists in every kernel built with FUSE over io_uring.
        access("/sys/module/fuse/parameters/enable_uring", F_OK) == 0 ? .notEnabled : .unknownToKernel
    }
}
