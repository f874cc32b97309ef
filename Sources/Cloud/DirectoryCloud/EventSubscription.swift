import Basics
import CloudStorage
import Glibc
import Logging
import SystemPackage

/// A consumer of a cloud's events and its watching thread. The thread ends with the last reference.
final class EventSubscription: Sendable {
    let mailbox = EventMailbox()
    private let stop: StopSignal?

    init(root: FilePath, logger: Logger) {
        var started: StopSignal?
        do throws(Basics.Errno) {
            let stop = try StopSignal()
            try OwnThread.detach("cloud-events") { [mailbox] in
                DirectoryWatcher(root: root, mailbox: mailbox, stop: stop, logger: logger).run()
            }
            started = stop
        } catch {
            // The stream ends immediately, after which its consumer polls.
            logger.error("changes of the cloud are not noticed", metadata: ["error": "\(error)"])
            mailbox.end()
        }
        stop = started
    }

    deinit { end() }

    func end() {
        stop?.send()
        mailbox.end()
    }
}

/// Wakes a thread out of `poll(2)`: a pipe that becomes readable.
final class StopSignal: Sendable {
    let reading: Int32
    private let writing: Int32

    init() throws(Basics.Errno) {
        var ends: [Int32] = [-1, -1]
        try check("pipe") { pipe(&ends) }
        (reading, writing) = (ends[0], ends[1])
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    }

    deinit {
        close(reading)
        close(writing)
    }

    /// Sends the signal, any number of times: only a few bytes ever wait in the pipe, so this does not block.
    func send() {
        var byte: UInt8 = 0
        _ = write(writing, &byte, 1)
    }
}
