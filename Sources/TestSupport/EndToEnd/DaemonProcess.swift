import Foundation
import Glibc
import Synchronization

/// A device's daemon by its process id, which is nil while there is none.
package final class DaemonProcess: Sendable {
    private let identifier = Mutex<Int32?>(nil)

    init() {}

    package var pid: Int32? { identifier.withLock { $0 } }

    package func set(_ pid: Int32?) { identifier.withLock { $0 = pid } }

    /// Sends a signal to the daemon, if there is one and the process id still belongs to it.
    package func send(_ signal: Int32) {
        guard let pid, Self.isDaemon(pid) else { return }
        kill(pid, signal)
    }

    package var isRunning: Bool { pid.map(Self.isDaemon) ?? false }

    /// Returns whether the process is a daemon: process ids are reused, and a zombie no longer has a program file.
    private static func isDaemon(_ pid: Int32) -> Bool {
        var path = [CChar](repeating: 0, count: 4096)
        let count = readlink("/proc/\(pid)/exe", &path, path.count - 1)
        guard count > 0 else { return false }
        return String(decoding: path.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self).contains("/ubiquityd")
    }
}

extension DaemonProcess {
    /// Whether no thread is left to hold a file open. The kernel drops the program file earlier.
    var isGone: Bool {
        guard let pid else { return true }
        guard let threads = try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/task") else {
            return true
        }
        guard let text = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8) else { return true }
        return threads.count <= 1 && text[(text.lastIndex(of: ")") ?? text.startIndex)...].hasPrefix(") Z")
    }
}

extension TestDevice {
    /// Returns the processor time of all threads of the daemon (proc_pid_stat(5): utime and stime, in hundredths of a second).
    package func processorTime() throws -> Duration {
        guard let pid = daemon.pid else { throw EndToEndError("\(name) has no daemon") }
        let text = try String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)
        // The program's name, in parentheses, may contain any character.
        let fields = text[(text.lastIndex(of: ")") ?? text.startIndex)...].split(separator: " ")
        guard fields.count > 13, let user = Int(fields[12]), let system = Int(fields[13]) else {
            throw EndToEndError("unknown line in /proc: \(text)")
        }
        return .milliseconds((user + system) * 10)
    }
}
