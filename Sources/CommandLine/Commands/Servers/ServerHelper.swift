import Basics
import DaemonProtocol
import FoundationEssentials
import Glibc

/// Runs the daemon's program for operations on a server, and returns its outcome.
enum ServerHelper {
    /// The upper bound for the helper's output, much larger than any outcome.
    private static let outputLimit = 1 << 16

    static func run(_ arguments: [String], input: String) throws(CommandFailure) -> SignInOutcome {
        let program = try DaemonLauncher(arguments: [], state: "").program
        let text: [UInt8]
        do { text = try output(of: program, arguments, input) } catch {
            throw CommandFailure(.failed, "cannot send a request to the server (\(error))", path: program)
        }
        let outcome: SignInOutcome
        do { outcome = try ControlFrame.decode(SignInOutcome.self, from: Data(text)) } catch {
            throw CommandFailure(.failed, "ubiquityd did not report a result (\(error))", path: program)
        }
        if let failure = outcome.failure { throw CommandFailure(failure) }
        return outcome
    }

    private static func output(of program: String, _ arguments: [String], _ input: String) throws(Errno) -> [UInt8] {
        var (question, answer): ([Int32], [Int32]) = ([-1, -1], [-1, -1])
        try check("pipe") { pipe(&question) }
        try check("pipe") { pipe(&answer) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, question[0], STDIN_FILENO)
        posix_spawn_file_actions_adddup2(&actions, answer[1], STDOUT_FILENO)
        for descriptor in question + answer { posix_spawn_file_actions_addclose(&actions, descriptor) }
        var pid: pid_t = 0
        let code = withArguments([program] + arguments) { posix_spawn(&pid, program, &actions, nil, $0, environ) }
        close(question[0])
        close(answer[1])
        defer { close(answer[0]) }
        // A program that ended without reading has reported why.
        signal(SIGPIPE, SIG_IGN)
        // A line fits into the pipe, so this does not wait for the program to read.
        _ = Array(input.utf8).withUnsafeBytes { write(question[1], $0.baseAddress, $0.count) }
        close(question[1])
        guard code == 0 else { throw Errno(code, "posix_spawn") }
        let text = try readAll(answer[0])
        var status: Int32 = 0
        try check("waitpid") { waitpid(pid, &status, 0) }
        return text
    }

    private static func readAll(_ descriptor: Int32) throws(Errno) -> [UInt8] {
        var text: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while text.count < outputLimit {
            let count = try check("read") { read(descriptor, &buffer, buffer.count) }
            guard count > 0 else { break }
            text += buffer.prefix(count)
        }
        return text
    }
}
