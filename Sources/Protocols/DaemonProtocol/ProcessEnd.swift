import FoundationEssentials
import Glibc

/// How far the end of a process is, from /proc.
enum ProcessEnd {
    /// It was killed or crashed, but a thread of it still waits in the kernel. Its files are open meanwhile.
    case begun
    /// Only its parent has not been notified yet, and nothing of it is left.
    case complete

    /// Returns nil for a process that has not begun to end, or does not exist.
    static func of(_ process: pid_t) -> ProcessEnd? {
        // A process that cannot be looked at counts as running.
        guard let stat = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8),
            // The program's name, in parentheses, may contain any character.
            let name = stat.lastIndex(of: ")"),
            let state = stat[name...].dropFirst(2).first, state == "Z" || state == "X"
        else { return nil }
        let threads = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task"))?.count ?? 0
        return threads > 1 ? .begun : .complete
    }
}
