import DaemonProtocol
import Glibc

/// Restarts a running daemon under the same process id, and waits until it serves.
struct DaemonRestart {
    private let record: MountRecord

    init(_ record: MountRecord) { self.record = record }

    /// Lets the daemon rebuild its state.
    func reset() throws(CommandFailure) -> RebuildStatus? {
        try restart(
            ResetRequest(), is: "being reset", ended: "while it rebuilt its state",
            advice: "See \(record.state)/daemon.log; \"ubiquity mount\" continues where it stopped."
        ).rebuild
    }

    /// Lets the daemon mount again with a different cloud.
    ///
    /// - Returns: The status afterwards, also if the daemon had to stay with its cloud.
    func move(to cloud: String) throws(CommandFailure) -> MountStatus {
        try restart(
            MoveCloudRequest(cloud: cloud), is: "moving", ended: "during the move",
            advice: "See \(record.state)/daemon.log. \"ubiquity mount\" mounts again; then repeat the command.")
    }

    func status() throws(CommandFailure) -> MountStatus {
        // A daemon shutting down sends nothing; the request is repeated.
        var connection = try DaemonConnection.open(record, patience: .seconds(3))
        let answer = try connection.call(StatusRequest())
        return answer.mount
    }

    private func restart<Call: DaemonCall>(
        _ call: Call, is activity: String, ended moment: String, advice: String
    ) throws(CommandFailure) -> MountStatus {
        var connection = try DaemonConnection.open(record)
        var display = LiveDisplay()
        _ = try connection.call(call, watch: WatchRequest()) { display.show(StatusText.progress($0.mount)) }
        display.clear()
        guard connection.waitForEnd(.seconds(60)) else {
            throw CommandFailure(
                .timedOut, "the daemon (pid \(record.pid)) is \(activity) but has not released the mount",
                path: record.mount, advice: "Programs may still use it; see \(record.state)/daemon.log.")
        }
        while record.isRunning {
            // The daemon does not respond before it has mounted, and nothing notifies of a new socket, so this polls.
            if let status = try? status() { return status }
            poll(nil, 0, 200)
        }
        throw CommandFailure(
            .failed, "the daemon (pid \(record.pid)) ended \(moment)", path: record.mount, advice: advice)
    }
}
