import Basics
import DaemonProtocol
import FoundationEssentials
import Glibc

/// Runs the daemon's program for a long operation, and reads its output line by line. The program is in this process
/// group, so Ctrl-C ends both.
struct HelperProgram {
    let path: String

    /// The longest line kept; the rest of a longer line is dropped.
    private static let lineLimit = 1 << 20

    /// - Parameter onLine: Called with each line, without its newline.
    func run(_ arguments: [String], onLine: (Data) -> Void) throws(CommandFailure) {
        do throws(Errno) {
            var ends: [Int32] = [-1, -1]
            try check("pipe") { pipe(&ends) }
            defer { close(ends[0]) }
            let pid = try spawn(arguments, output: ends[1], input: ends[0])
            defer { Self.reap(pid) }
            close(ends[1])
            try readLines(ends[0], onLine)
        } catch {
            throw CommandFailure(.failed, "the daemon's program can not be run (\(error))", path: path)
        }
    }

    private func spawn(_ arguments: [String], output: Int32, input: Int32) throws(Errno) -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
        for descriptor in [input, output] { posix_spawn_file_actions_addclose(&actions, descriptor) }
        var pid: pid_t = 0
        let code = withArguments([path] + arguments) { posix_spawn(&pid, path, &actions, nil, $0, environ) }
        guard code == 0 else {
            close(output)
            throw Errno(code, "posix_spawn")
        }
        return pid
    }

    private func readLines(_ descriptor: Int32, _ onLine: (Data) -> Void) throws(Errno) {
        var line = Data()
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = try check("read") { read(descriptor, &buffer, buffer.count) }
            guard count > 0 else { break }
            for byte in buffer[..<count] {
                if byte == UInt8(ascii: "\n") {
                    onLine(line)
                    line.removeAll(keepingCapacity: true)
                } else if line.count < Self.lineLimit {
                    line.append(byte)
                }
            }
        }
        if !line.isEmpty { onLine(line) }
    }

    private static func reap(_ pid: pid_t) {
        var status: Int32 = 0
        while waitpid(pid, &status, 0) < 0, errno == EINTR {}
    }
}
