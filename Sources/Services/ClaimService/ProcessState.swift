import Glibc

/// A process's state, as reported by the kernel.
enum ProcessState {
    /// Returns whether a process is stopped by a signal or a debugger (proc_pid_stat(5): state `T` or `t`). False if
    /// the process is gone.
    static func isStopped(_ pid: Int32) -> Bool {
        let descriptor = open("/proc/\(pid)/stat", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var buffer = [UInt8](repeating: 0, count: 512)
        let count = read(descriptor, &buffer, buffer.count)
        guard count > 0 else { return false }
        return isStopped(stat: buffer[..<count])
    }

    /// Parses the state, two bytes after the program's name; the name is in parentheses and may contain any bytes.
    static func isStopped(stat: ArraySlice<UInt8>) -> Bool {
        guard let end = stat.lastIndex(of: UInt8(ascii: ")")), end + 2 < stat.endIndex else { return false }
        return stat[end + 2] == UInt8(ascii: "T") || stat[end + 2] == UInt8(ascii: "t")
    }
}
