import Glibc
import Synchronization

/// A test's daemons, killed together when any of them blocks a program in the kernel.
final class DaemonList: Sendable {
    private let daemons = Mutex<[DaemonProcess]>([])

    func add(_ daemon: DaemonProcess) { daemons.withLock { $0.append(daemon) } }

    func kill() { for daemon in daemons.withLock({ $0 }) { daemon.send(SIGKILL) } }
}
