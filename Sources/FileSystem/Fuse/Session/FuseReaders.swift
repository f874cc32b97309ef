import Basics
import CFuse3
import Dispatch
import Glibc
import Logging
import Synchronization

/// The threads that read requests, and the one that waits for their end.
enum FuseReaders {
    /// The state that a reader's thread shares with the one that ends it.
    private final class Seat: Sendable {
        let end = DispatchSemaphore(value: 0)
        let thread = Mutex<pthread_t?>(nil)
    }

    /// Starts the readers. They end with the mount, or when the returned `stop` is called; either way the connection is then severed and
    /// marked as ended.
    static func start(_ connection: FuseConnection) throws(FuseError) -> @Sendable () -> Void {
        WakeSignal.install()
        let seats = (0..<max(1, connection.options.readerCount)).map { _ in Seat() }
        let close: @Sendable () -> Void = { beginClosing(connection, seats) }
        do {
            for (index, seat) in seats.enumerated() {
                let device = connection.device(ofReader: index)
                let thread = try OwnThread.start("fuse-\(index)") {
                    WakeSignal.receiveOnly()
                    FuseReader(connection: connection, device: device).run()
                    seat.end.signal()
                    close()
                }
                seat.thread.withLock { $0 = thread }
            }
        } catch {
            connection.lifecycle.requestStop()
            for seat in seats where seat.thread.withLock({ $0 == nil }) {
                seat.end.signal()
            }
            close()
            throw FuseError(
                .thread, "A thread for the mount could not be started (\(error)). Raise the limit of tasks.")
        }
        return close
    }

    private static func beginClosing(_ connection: FuseConnection, _ seats: [Seat]) {
        guard connection.lifecycle.beginClosing() else { return }
        do throws(Errno) {
            try OwnThread.detach("fuse-end") { finish(connection, seats) }
        } catch {
            connection.logger.error(
                "The mount's end could not be completed: no thread could be started.", metadata: ["error": "\(error)"])
        }
    }

    /// Waits until every reader has ended, waking those that still wait for a request.
    private static func finish(_ connection: FuseConnection, _ seats: [Seat]) {
        for seat in seats {
            // A signal that arrives just before the reader's system call is lost, so it is sent again after two milliseconds.
            repeat {
                if let thread = seat.thread.withLock({ $0 }) { pthread_kill(thread, WakeSignal.number) }
            } while seat.end.wait(timeout: .now() + .milliseconds(2)) == .timedOut
            if let thread = seat.thread.withLock({ $0 }) { pthread_join(thread, nil) }
        }
        connection.sever()
        connection.lifecycle.markEnded()
    }
}

/// A signal whose only effect is to end a blocking system call with EINTR.
private enum WakeSignal {
    static var number: Int32 { cfuse_wake_signal() }

    static func install() {
        var action = sigaction()
        action.__sigaction_handler.sa_handler = { _ in }
        sigaction(number, &action, nil)
    }

    /// Blocks every signal on this thread except this one and those of a crash: the process's own handlers belong on other threads.
    static func receiveOnly() {
        var signals = sigset_t()
        sigfillset(&signals)
        sigdelset(&signals, number)
        pthread_sigmask(SIG_SETMASK, &signals, nil)
        CrashGuard.unblockSignals()
    }
}
