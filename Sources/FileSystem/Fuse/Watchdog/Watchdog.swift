package import Basics
import CFuse3
import Dispatch
import Glibc
package import Logging
import Synchronization

/// Keeps a ``WatchdogProgram`` running for a mount of this process, and starts it again if it ends.
package final class Watchdog: Sendable {
    private static let longestPause = 60

    private let control: FuseControl
    private let log: Logger
    /// The reading end of a pipe, and the end whose closing notifies the program that this process no longer serves.
    private let (inner, outer): (Int32, Int32)
    private let hasEnded = Mutex(false)
    private let ending = DispatchSemaphore(value: 0)

    package init(_ control: FuseControl, log: Logger) throws(Errno) {
        var ends: [Int32] = [-1, -1]
        try check("make a pipe") { cfuse_pipe(&ends) }
        (inner, outer) = (ends[0], ends[1])
        self.control = control
        self.log = log
        do { try OwnThread.detach("watchdog") { [self] in run() } } catch {
            close(inner)
            close(outer)
            throw error
        }
    }

    /// Ends the program. Call it once, after the mount has ended.
    package func end() {
        hasEnded.withLock { $0 = true }
        close(outer)
        ending.signal()
    }

    /// Runs on a separate thread, which has to live as long as this process serves: the program waits for its end.
    private func run() {
        var pause = 1
        while !hasEnded.withLock({ $0 }) {
            let begin = ContinuousClock.now
            do {
                let process = try OwnProgram.start(
                    ["ubiquityd", WatchdogProgram.name, "\(getpid())"],
                    descriptors: [
                        STDIN_FILENO: inner, STDOUT_FILENO: control.descriptor, STDERR_FILENO: control.descriptor,
                    ], purpose: "start the watchdog")
                var status: Int32 = 0
                while waitpid(process, &status, 0) < 0, errno == EINTR {}
                guard !hasEnded.withLock({ $0 }) else { break }
                log.warning("the watchdog has ended; it is started again", metadata: ["status": "\(status)"])
            } catch {
                log.warning("the watchdog could not be started", metadata: ["error": "\(error)"])
            }
            pause = ContinuousClock.now - begin > .seconds(Self.longestPause) ? 1 : min(pause * 2, Self.longestPause)
            if ending.wait(timeout: .now() + .seconds(pause)) == .success { break }
        }
        close(inner)
    }
}
