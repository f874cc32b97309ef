import DaemonProtocol
import Glibc

/// A program running in place of this one and receiving the signals sent to this one.
struct ChildProgram {
    private let pid: pid_t
    /// The blocked signals, taken one by one in ``wait()``.
    private let signals: sigset_t

    private static let handled = [SIGCHLD, SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2]
    /// `si_code` of a signal from the kernel (sigaction(2)), in this case from the terminal, which signals the program
    /// too.
    private static let fromKernel: Int32 = 0x80

    /// Starts a program.
    ///
    /// - Throws: `CommandFailure` with status 127 if the program does not exist, 126 if it cannot be run, as a shell does.
    static func start(_ words: [String]) throws(CommandFailure) -> ChildProgram {
        var signals = sigset_t()
        var old = sigset_t()
        sigemptyset(&signals)
        for signal in handled { sigaddset(&signals, signal) }
        pthread_sigmask(SIG_BLOCK, &signals, &old)
        return ChildProgram(pid: try spawn(words, old), signals: signals)
    }

    /// Replaces this program with another, which keeps its process, signals and descriptors.
    ///
    /// - Returns: Why that failed: status 127 if the program does not exist, 126 if it cannot be run, as a shell does.
    static func become(_ words: [String]) -> CommandFailure {
        var arguments = cStrings(words)
        defer { for argument in arguments { free(argument) } }
        guard let name = arguments.first ?? nil else { return CommandFailure(.commandNotFound, "no program was given") }
        execvp(name, &arguments)
        return failure(errno, words)
    }

    private static func cStrings(_ words: [String]) -> [UnsafeMutablePointer<CChar>?] {
        words.map { strdup(rawArgument($0).map { CChar(bitPattern: $0) } + [0]) } + [nil]
    }

    private static func failure(_ code: Int32, _ words: [String]) -> CommandFailure {
        CommandFailure(
            code == ENOENT ? .commandNotFound : .commandNotRunnable,
            "the program cannot be run (\(String(cString: strerror(code))))", path: words.first)
    }

    private static func spawn(_ words: [String], _ mask: sigset_t) throws(CommandFailure) -> pid_t {
        var attributes = posix_spawnattr_t()
        var mask = mask
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        posix_spawnattr_setsigmask(&attributes, &mask)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        var arguments = cStrings(words)
        defer { for argument in arguments { free(argument) } }
        guard let name = arguments.first ?? nil else { throw CommandFailure(.commandNotFound, "no program was given") }
        var pid: pid_t = 0
        let code = posix_spawnp(&pid, name, nil, &attributes, &arguments, environ)
        guard code == 0 else { throw failure(code, words) }
        return pid
    }

    /// Waits for the program's end and returns its exit status, or 128 plus its terminating signal's number.
    func wait() -> Int32 {
        var signals = signals
        while true {
            var signal = siginfo_t()
            let number = sigwaitinfo(&signals, &signal)
            if number == SIGCHLD, let status = takeStatus() { return status }
            if number > 0, number != SIGCHLD, signal.si_code != Self.fromKernel { kill(pid, number) }
        }
    }

    /// Returns the exit status; nil while the program runs.
    private func takeStatus() -> Int32? {
        var status: Int32 = 0
        guard waitpid(pid, &status, WNOHANG) == pid else { return nil }
        // wait(2): the low seven bits are the signal, the byte above them the exit status.
        return status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + (status & 0x7F)
    }
}
