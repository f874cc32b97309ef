import Basics
import Glibc

/// A running ``AnnouncerProgram``. Only one thread at a time performs calls with it.
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
        do {
            id = try OwnProgram.start(
                ["ubiquityd", AnnouncerProgram.name, mountPoint, device.description],
                descriptors: [STDIN_FILENO: ends[1]], purpose: "start the announcer")
        } catch {
            close(ends[0])
            throw error
        }
        socket = ends[0]
    }

    deinit { close(socket) }

    /// Performs a call and waits for its end.
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

    /// Ends the process. If it waits for a kernel lock, it ends on getting that.
    func kill() { Glibc.kill(id, SIGKILL) }

    /// Returns whether the process with this id has ended. Does not wait.
    static func hasEnded(_ id: pid_t) -> Bool {
        var status: Int32 = 0
        let result = waitpid(id, &status, WNOHANG)
        return result == id || (result < 0 && errno == ECHILD)
    }
}
