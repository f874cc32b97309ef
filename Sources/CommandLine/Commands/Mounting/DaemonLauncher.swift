import Basics
import CLinux
import DaemonProtocol
import FoundationEssentials
import Glibc

/// Starts `ubiquityd`, found beside this program or in PATH.
struct DaemonLauncher {
    let program: String
    let arguments: [String]
    /// The absolute path of the daemon's state directory, including its log.
    let state: String

    /// The maximum time between two progress messages of a starting daemon; its recovery may take longer in total.
    private static let silenceLimit: Duration = .seconds(120)

    init(arguments: [String], state: String) throws(CommandFailure) {
        guard let program = Self.find() else {
            throw CommandFailure(
                .failed, "the daemon's program ubiquityd is neither beside ubiquity nor in PATH",
                advice: "Install both programs together.")
        }
        self.program = program
        self.arguments = arguments
        self.state = state
    }

    private static func find() -> String? {
        let own = realPath(Array("/proc/self/exe".utf8)).map { String(decoding: $0, as: UTF8.self) } ?? ""
        let beside = own.prefix(through: own.lastIndex(of: "/") ?? own.startIndex)
        let path = getenv("PATH").map { String(cString: $0) } ?? ""
        return ([String(beside)] + path.split(separator: ":").map { "\($0)/" })
            .map { "\($0)ubiquityd" }.first { access($0, X_OK) == 0 }
    }

    var logFile: String { "\(state)/daemon.log" }

    /// Replaces this process with the daemon. Returns only by throwing.
    func become() throws(CommandFailure) -> Never {
        withArguments([program] + arguments) { _ = execv(program, $0) }
        throw CommandFailure(.failed, "the daemon cannot be started (\(Errno(errno)))", path: program)
    }

    /// Starts the daemon detached from this terminal and session, and waits until it is ready. Returns its process id.
    func start(noting: Bool = true, onProgress: (String) -> Void) throws(CommandFailure) -> pid_t {
        // The daemon's files are its user's alone, and usable regardless of this process's mask.
        let mask = umask(0o077)
        defer { umask(mask) }
        do {
            try createDirectories(state)
            let pipe = try ReadyPipe.open()
            let pid = try spawn(reportingTo: pipe)
            pipe.closeWriter()
            try awaitReady(pipe, pid, noting, onProgress)
            return pid
        } catch let error as Errno {
            throw CommandFailure(.failed, "the daemon cannot be started (\(error))", path: state)
        } catch let failure as CommandFailure {
            throw failure
        } catch {
            throw CommandFailure(.failed, "the daemon cannot be started (\(error))", path: state)
        }
    }

    private func spawn(reportingTo pipe: borrowing ReadyPipe) throws(Errno) -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, logFile, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO)
        posix_spawn_file_actions_adddup2(&actions, pipe.writer, ReadyPipe.inheritedDescriptor)
        _ = linux_spawn_closing_from(&actions, ReadyPipe.inheritedDescriptor + 1)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        posix_spawnattr_setflags(&attributes, posixSpawnSetSession)
        var pid: pid_t = 0
        let all = [program] + arguments + ["--ready-fd", String(ReadyPipe.inheritedDescriptor)]
        let code = withArguments(all) { posix_spawn(&pid, program, &actions, &attributes, $0, environ) }
        guard code == 0 else { throw Errno(code, "posix_spawn") }
        return pid
    }

    private func awaitReady(
        _ pipe: borrowing ReadyPipe, _ pid: pid_t, _ noting: Bool, _ onProgress: (String) -> Void
    ) throws {
        var lines = LineSplitter()
        while true {
            let bytes = try pipe.read(patience: Self.silenceLimit)
            guard !bytes.isEmpty else { throw diedSilently(pid) }
            for line in lines.append(bytes) {
                if line == "ready" { return }
                if let text = line.removing(prefix: "error: ") { throw Self.failure(text) }
                if let text = line.removing(prefix: "starting: ") { onProgress(text) }
                if let text = line.removing(prefix: "note: "), noting { Terminal.note(text) }
            }
        }
    }

    private static func failure(_ text: String) -> CommandFailure {
        // The daemon sends its failure as JSON; any other text is shown unchanged.
        guard let failure = try? ControlFrame.decode(DaemonFailure.self, from: Data(text.utf8)) else {
            return CommandFailure(.failed, text)
        }
        return CommandFailure(failure)
    }

    private func diedSilently(_ pid: pid_t) -> CommandFailure {
        CommandFailure(
            .failed, "the daemon (pid \(pid)) ended before it was ready", path: state, advice: "See \(logFile).")
    }
}
