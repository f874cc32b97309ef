import CFuse3
import Glibc

/// A program to abort a mount's connection when the serving process dies.
///
/// The kernel does that itself once every descriptor of /dev/fuse is closed. But a thread of the dead process, in the
/// middle of invalidating a name, may wait in the kernel for a folder's lock, held by a program waiting for the dead
/// process: then nothing ever ends. This program keeps nothing of the connection open but its control.
package enum WatchdogProgram {
    package static let name = "watchdog"

    package static func isMeant(by arguments: [String]) -> Bool { arguments.first == name }

    /// Waits for the end of the process, then aborts the connection. The standard input is a pipe kept open by the
    /// process, the standard output the connection's control.
    ///
    /// - Parameter arguments: `watchdog` and the id of the process.
    package static func run(_ arguments: [String]) {
        guard arguments.count == 2, let served = pid_t(arguments[1]) else { return }
        cfuse_await_end(served, STDIN_FILENO)
        _ = write(STDOUT_FILENO, "1", 1)
    }
}
