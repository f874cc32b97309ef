package import DaemonProtocol
import FoundationEssentials
import Glibc
import Synchronization

/// Reports the start's progress to the program starting the daemon: lines in an inherited pipe, and notifications to a
/// service manager if there is one.
///
/// The lines are `starting: WHAT` and `note: TEXT`, any number of times, and finally a `ready`, or an `error: ` with a
/// ``DaemonFailure`` as JSON on a single line.
///
/// After that the descriptor is closed and its number may belong to another file, so it is no longer used.
package final class ReadinessPipe: Sendable {
    private let descriptor: Mutex<Int32?>

    /// Creates a pipe; `descriptor` is nil if no client waits.
    package init(descriptor: Int32?) {
        self.descriptor = Mutex(descriptor)
        guard let descriptor else { return }
        // Programs started by the daemon must not inherit the descriptor: the reader would wait for them too.
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        signal(SIGPIPE, SIG_IGN)
    }

    /// Reports a long operation; this also extends the waiting side's timeout.
    package func starting(_ what: String) {
        write("starting: \(what)\n")
        // Two minutes more, the same as the reader of the pipe grants.
        ServiceNotification.send("STATUS=\(what)\nEXTEND_TIMEOUT_USEC=120000000")
    }

    /// Reports a remark for the user, whether or not the start succeeds.
    package func note(_ text: String) { write("note: \(text)\n") }

    package func ready() {
        ServiceNotification.send("READY=1\nSTATUS=mounted")
        write("ready\n")
        finish()
    }

    package func failed(_ failure: DaemonFailure) {
        // Encoding a failure can fail only for its length; the plain text is the fallback.
        let text = (try? ControlFrame.payload(failure)).map { String(decoding: $0, as: UTF8.self) }
        write("error: \(text ?? failure.message)\n")
        finish()
    }

    private func finish() {
        if let descriptor = descriptor.withLock({ $0.take() }) { close(descriptor) }
    }

    /// Writes a line; ignores a closed pipe.
    private func write(_ line: String) {
        descriptor.withLock { descriptor in
            guard let descriptor else { return }
            _ = line.withCString { Glibc.write(descriptor, $0, strlen($0)) }
        }
    }
}
