import FoundationEssentials
import Glibc

/// The progress of a process's end, from /proc.
enum ProcessEnd {
    /// It was killed or crashed, but a thread of it still waits in the kernel. Its files are open meanwhile.
    case begun
    /// Only its parent has not been notified yet, and nothing of it is left.
    case complete

    /// Returns nil for a process that has not begun to end, or does not exist.
    static func of(_ process: pid_t) -> ProcessEnd? { settled({ look(at: process) }) { poll(nil, 0, 10) } }

    /// Returns the result of `look`, but `begun` only if it lasts: while a thread other than the first calls
    /// `execve(2)`, the first is briefly a zombie.
    static func settled(_ look: () -> ProcessEnd?, pause: () -> Void) -> ProcessEnd? {
        for _ in 0..<30 {
            let end = look()
            guard end == .begun else { return end }
            pause()
        }
        return look()
    }

    private static func look(at process: pid_t) -> ProcessEnd? {
        // An inaccessible process counts as running.
        guard let stat = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8),
            // The program's name, in parentheses, may contain any character.
            let name = stat.lastIndex(of: ")"),
            let state = stat[name...].dropFirst(2).first, state == "Z" || state == "X"
        else { return nil }
        let threads = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task"))?.count ?? 0
        return threads > 1 ? .begun : .complete
    }
}
