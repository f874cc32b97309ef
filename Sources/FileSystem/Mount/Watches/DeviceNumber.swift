/// The number of a mounted file system, as /proc/self/mountinfo writes it: `major:minor`.
package struct DeviceNumber: Hashable, Sendable, CustomStringConvertible {
    let major: UInt32
    let minor: UInt32

    /// Returns nil for invalid text.
    package init?(_ text: String) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, let major = UInt32(parts[0]), let minor = UInt32(parts[1]), major < 1 << 12,
            minor < 1 << 20
        else { return nil }
        (self.major, self.minor) = (major, minor)
    }

    /// - Parameter status: `st_dev` of `stat(2)`, decoded as by gnu_dev_major(3) and gnu_dev_minor(3).
    init(status device: UInt64) {
        major = UInt32((device >> 8) & 0xFFF)
        minor = UInt32((device & 0xFF) | ((device >> 12) & 0xFFF00))
    }

    /// The kernel's own form (MKDEV in linux/kdev_t.h), as shown in fdinfo.
    var kernelValue: UInt64 { UInt64(major) << 20 | UInt64(minor) }

    package var description: String { "\(major):\(minor)" }
}
