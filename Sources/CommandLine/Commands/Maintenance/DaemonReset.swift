import DaemonProtocol
import Glibc

/// Lets a running daemon rebuild its state.
struct DaemonReset {
    private let record: MountRecord

    init(_ record: MountRecord) { self.record = record }

    /// The daemon ends and comes back under the same process id.
    func run() throws(CommandFailure) -> RebuildStatus? {
        var connection = try DaemonConnection.open(record)
        var display = LiveDisplay()
        _ = try connection.call(ResetRequest(), watch: WatchRequest()) {
            display.show(StatusText.progress($0.mount))
        }
        display.clear()
        guard connection.waitForEnd(.seconds(60)) else {
            throw CommandFailure(
                .timedOut, "the daemon (pid \(record.pid)) is to be reset but does not let go of the mount",
                path: record.mount, advice: "Programs may still use it; see \(record.state)/daemon.log.")
        }
        while record.isRunning {
            // It does not answer before its state is made, and nothing notifies of a socket that comes back.
            if let status = try? status() { return status.rebuild }
            poll(nil, 0, 200)
        }
        throw CommandFailure(
            .failed, "the daemon (pid \(record.pid)) ended while it rebuilt its state", path: record.mount,
            advice: "See \(record.state)/daemon.log; \"ubiquity mount\" goes on where it stopped.")
    }

    func status() throws(CommandFailure) -> MountStatus {
        // A daemon that is just ending sends nothing; the request is repeated.
        var connection = try DaemonConnection.open(record, patience: .seconds(3))
        let answer = try connection.call(StatusRequest())
        return answer.mount
    }
}
