import Basics
import CFuse3
import Dispatch
import Glibc
import Synchronization

/// A request-serving thread, and the way to end it.
final class ServingThread: Sendable {
    private let end = DispatchSemaphore(value: 0)
    private let thread = Mutex<pthread_t?>(nil)

    func start(_ name: String, _ body: @escaping @Sendable () -> Void) throws(Errno) {
        let started = try OwnThread.start(name) { [end] in
            WakeSignal.receiveOnly()
            body()
            end.signal()
        }
        thread.withLock { $0 = started }
    }

    /// Records that the thread will not be started, if it was not.
    func abandon() {
        if thread.withLock({ $0 == nil }) { end.signal() }
    }

    /// Waits for the end of the thread, waking it out of blocking system calls. To be called once.
    func waitUntilEnded() {
        // A signal arriving just before the system call is lost, so it is sent again after two milliseconds.
        repeat {
            if let thread = thread.withLock({ $0 }) { pthread_kill(thread, WakeSignal.number) }
        } while end.wait(timeout: .now() + .milliseconds(2)) == .timedOut
        if let thread = thread.withLock({ $0 }) { pthread_join(thread, nil) }
    }
}

/// A signal with the only effect of ending a blocking system call with EINTR.
enum WakeSignal {
    static var number: Int32 { cfuse_wake_signal() }

    static func install() {
        var action = sigaction()
        action.__sigaction_handler.sa_handler = { _ in }
        sigaction(number, &action, nil)
    }

    /// Blocks every signal on this thread except this one and crash signals: the process's own handlers belong on other
    /// threads.
    fileprivate static func receiveOnly() {
        var signals = sigset_t()
        sigfillset(&signals)
        sigdelset(&signals, number)
        pthread_sigmask(SIG_SETMASK, &signals, nil)
        CrashGuard.unblockSignals()
    }
}
