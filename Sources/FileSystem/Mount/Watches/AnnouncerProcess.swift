import Basics
import Glibc

/// A running ``AnnouncerProgram``. One thread at a time makes calls with it.
final class AnnouncerProcess: Sendable {
    let id: pid_t
    private let socket: Int32

    /// - Throws: The error of posix_spawn(3).
    init(mountPoint: String, device: DeviceNumber) throws(Errno) {
        var ends: [Int32] = [-1, -1]
        try check("make a socket") {
            socketpair(AF_UNIX, Int32(bitPattern: SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends)
        }
        defer { close(ends[1]) }
        do { id = try Self.spawn([AnnouncerProgram.name, mountPoint, device.description], input: ends[1]) } catch {
            close(ends[0])
            throw error
        }
        socket = ends[0]
    }

    deinit { close(socket) }

    private static func spawn(_ arguments: [String], input: Int32) throws(Errno) -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
        // The daemon blocks signals that this process should end by.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        var words = (["ubiquityd"] + arguments).map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        var environment: [UnsafeMutablePointer<CChar>?] = [nil]
        var process: pid_t = 0
        let code = posix_spawn(&process, "/proc/self/exe", &actions, &attributes, &words, &environment)
        guard code == 0 else { throw Errno(code, "start the announcer") }
        return process
    }

    /// Makes a call and waits for its end.
    ///
    /// - Returns: The call's error number, or 0.
    /// - Throws: ETIMEDOUT after `patience`, EPIPE if the process has ended. It is of no use then.
    func perform(_ call: AnnouncerCall, patience: Duration) throws(Errno) -> Int32 {
        guard let message = call.encoded else { return ENAMETOOLONG }
        try check("send to the announcer") { send(socket, message, message.count, Int32(MSG_NOSIGNAL)) }
        var wait = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        let deadline = ContinuousClock.now + patience
        while true {
            let left = (deadline - .now) / .milliseconds(1)
            guard left > 0 else { throw Errno(ETIMEDOUT, "the announcer's call") }
            let ready = poll(&wait, 1, Int32(clamping: Int(left.rounded(.up))))
            if ready > 0 { break }
            if ready < 0, errno != EINTR { throw Errno(errno, "wait for the announcer") }
        }
        var code: Int32 = 0
        let count = recv(socket, &code, MemoryLayout<Int32>.size, 0)
        guard count == MemoryLayout<Int32>.size else { throw Errno(EPIPE, "the announcer ended") }
        return code
    }

    /// Ends the process. One that waits for a lock of the kernel ends when it gets that.
    func kill() { Glibc.kill(id, SIGKILL) }

    /// Returns whether the process with this id has ended. Does not wait.
    static func hasEnded(_ id: pid_t) -> Bool {
        var status: Int32 = 0
        let result = waitpid(id, &status, WNOHANG)
        return result == id || (result < 0 && errno == ECHILD)
    }
}
