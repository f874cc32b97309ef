import Glibc

/// What the kernel knows of another process.
enum ProcessState {
    /// Whether it is stopped by a signal or a debugger (proc_pid_stat(5): state `T` or `t`). False for one that is gone.
    static func isStopped(_ pid: Int32) -> Bool {
        let descriptor = open("/proc/\(pid)/stat", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var buffer = [UInt8](repeating: 0, count: 512)
        let count = read(descriptor, &buffer, buffer.count)
        guard count > 0 else { return false }
        return isStopped(stat: buffer[..<count])
    }

    /// The state stands two bytes behind the program's name, which is in parentheses and may hold any bytes.
    static func isStopped(stat: ArraySlice<UInt8>) -> Bool {
        guard let end = stat.lastIndex(of: UInt8(ascii: ")")), end + 2 < stat.endIndex else { return false }
        return stat[end + 2] == UInt8(ascii: "T") || stat[end + 2] == UInt8(ascii: "t")
    }
}
