package import DaemonProtocol
import FoundationEssentials
import Glibc
import Synchronization

/// Reports to the program that started the daemon how the start goes: lines into a pipe that was inherited from it, and notifications to a
/// service manager if there is one.
///
/// `starting: WHAT` and `note: TEXT` any number of times, then once `ready` or `error: ` and a ``DaemonFailure`` as JSON on one line.
///
/// From then on the descriptor's number is another file's, and nothing is written to it or closed any more.
package final class ReadinessPipe: Sendable {
    private let descriptor: Mutex<Int32?>

    /// Nil when no client waits.
    package init(descriptor: Int32?) {
        self.descriptor = Mutex(descriptor)
        guard let descriptor else { return }
        // Not for programs that the daemon itself starts: the reader would wait for them too.
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        signal(SIGPIPE, SIG_IGN)
    }

    /// Something that takes time; also keeps the waiting side patient.
    package func starting(_ what: String) {
        write("starting: \(what)\n")
        // Two minutes more, as the other side of the pipe gives.
        ServiceNotification.send("STATUS=\(what)\nEXTEND_TIMEOUT_USEC=120000000")
    }

    /// Something that its user is to read, whatever comes of the start.
    package func note(_ text: String) { write("note: \(text)\n") }

    package func ready() {
        ServiceNotification.send("READY=1\nSTATUS=mounted")
        write("ready\n")
        finish()
    }

    package func failed(_ failure: DaemonFailure) {
        // Encoding a failure can not fail but for its length; the text alone is the fallback.
        let text = (try? ControlFrame.payload(failure)).map { String(decoding: $0, as: UTF8.self) }
        write("error: \(text ?? failure.message)\n")
        finish()
    }

    private func finish() {
        if let descriptor = descriptor.withLock({ $0.take() }) { close(descriptor) }
    }

    /// A reader that has gone is no reason to fail.
    private func write(_ line: String) {
        descriptor.withLock { descriptor in
            guard let descriptor else { return }
            _ = line.withCString { Glibc.write(descriptor, $0, strlen($0)) }
        }
    }
}
