import Basics
import Foundation
import Glibc
import Synchronization

/// A shell running a script; its standard input and output are pipes.
///
/// Foundation's `Process` is not used: in a process with some thousand descriptors it reads beyond mapped memory
/// (swift-corelibs-foundation, pull request 5472).
final class ShellProcess: Sendable {
    private let process: pid_t
    private let output: Int32
    private let input: Mutex<Int32>

    /// - Parameter arguments: The script's `$0` and following arguments.
    init(_ script: String, _ arguments: [String]) throws {
        var (toShell, fromShell): ([Int32], [Int32]) = ([-1, -1], [-1, -1])
        try check("pipe") { pipe(&toShell) }
        try check("pipe") { pipe(&fromShell) }
        for descriptor in toShell + fromShell { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        defer {
            close(toShell[0])
            close(fromShell[1])
        }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, toShell[0], 0)
        posix_spawn_file_actions_adddup2(&actions, fromShell[1], 1)
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        for descriptor in Self.openDescriptors where descriptor > 2 {
            posix_spawn_file_actions_addclose(&actions, descriptor)
        }
        var words = (["/bin/sh", "-c", script] + arguments).map { strdup($0) } + [nil]
        var variables = ProcessInfo.processInfo.environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for word in words + variables { free(word) } }
        var started: pid_t = 0
        let code = posix_spawn(&started, "/bin/sh", &actions, nil, &words, &variables)
        (process, output) = (started, fromShell[0])
        input = Mutex(toShell[1])
        guard code == 0 else { throw Errno(code, "start a shell") }
    }

    private static var openDescriptors: [Int32] {
        guard let folder = opendir("/proc/self/fd") else { return [] }
        defer { closedir(folder) }
        var found: [Int32] = []
        while let entry = readdir(folder) { found += [Int32(entry.name)].compactMap(\.self) }
        return found
    }

    deinit {
        endInput()
        close(output)
    }

    /// Reads its output until that number of bytes or the end.
    func read(_ count: Int) -> String {
        var bytes = [UInt8](repeating: 0, count: count)
        var length = 0
        while length < count {
            let more = bytes.withUnsafeMutableBytes { buffer in
                Glibc.read(output, buffer.baseAddress?.advanced(by: length), count - length)
            }
            if more < 0, errno == EINTR { continue }
            guard more > 0 else { break }
            length += more
        }
        return String(decoding: bytes.prefix(length), as: UTF8.self)
    }

    func endInput() {
        input.withLock { input in
            if input >= 0 { close(input) }
            input = -1
        }
    }

    /// Waits until the shell has ended.
    func waitUntilExit() {
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
    }
}
