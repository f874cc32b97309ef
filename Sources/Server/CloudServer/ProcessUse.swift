import Foundation
import Glibc

/// The resources used by this process, as the kernel reports them.
struct ProcessUse {
    /// The second number of proc_pid_statm(5), a page count, converted to bytes.
    let residentBytes: Int
    let descriptors: Int
    let processorSeconds: Double

    /// Reads the current values. An unreadable value counts as 0; nothing depends on it.
    static func now() -> ProcessUse {
        let statm = (try? String(contentsOfFile: "/proc/self/statm", encoding: .ascii)) ?? ""
        let pages = statm.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        let descriptors = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        let seconds = [usage.ru_utime, usage.ru_stime].reduce(0) { $0 + Double($1.tv_sec) + Double($1.tv_usec) / 1e6 }
        return ProcessUse(
            residentBytes: pages * Int(sysconf(Int32(_SC_PAGESIZE))), descriptors: descriptors,
            processorSeconds: seconds)
    }
}
