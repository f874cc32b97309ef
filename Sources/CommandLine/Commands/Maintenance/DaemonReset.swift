import DaemonProtocol
import Glibc

/// Makes a running daemon rebuild its state.
struct DaemonReset {
    private let record: MountRecord

    init(_ record: MountRecord) { self.record = record }

    /// Requests the reset and waits until the daemon has restarted under the same process id.
    func run() throws(CommandFailure) -> RebuildStatus? {
        var connection = try DaemonConnection.open(record)
        var display = LiveDisplay()
        _ = try connection.call(ResetRequest(), watch: WatchRequest()) {
            display.show(StatusText.progress($0.mount))
        }
        display.clear()
        guard connection.waitForEnd(.seconds(60)) else {
            throw CommandFailure(
                .timedOut, "the daemon (pid \(record.pid)) is being reset but has not released the mount",
                path: record.mount, advice: "Programs may still use it; see \(record.state)/daemon.log.")
        }
        while record.isRunning {
            // The daemon does not respond before its state is rebuilt, and nothing notifies of a new socket, so this polls.
            if let status = try? status() { return status.rebuild }
            poll(nil, 0, 200)
        }
        throw CommandFailure(
            .failed, "the daemon (pid \(record.pid)) ended while it rebuilt its state", path: record.mount,
            advice: "See \(record.state)/daemon.log; \"ubiquity mount\" continues where it stopped.")
    }

    func status() throws(CommandFailure) -> MountStatus {
        // A daemon that is shutting down sends nothing; the request is repeated.
        var connection = try DaemonConnection.open(record, patience: .seconds(3))
        let answer = try connection.call(StatusRequest())
        return answer.mount
    }
}
