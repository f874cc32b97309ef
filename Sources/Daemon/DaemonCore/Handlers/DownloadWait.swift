import Basics
import DaemonProtocol
import Sync

/// How long a client waits for downloads that it asked for: while something comes, and then for ``Patience/limit``. Pure.
struct DownloadWait {
    private var arrivals: UInt64
    private var lastArrival: Duration
    /// Why the cloud could not be reached since then, if it could not.
    private var absence: String?

    /// - Parameter now: Time since any fixed moment; never goes back.
    init(arrivals: UInt64, now: Duration) {
        self.arrivals = arrivals
        lastArrival = now
    }

    /// - Parameter arrivals: Goes up with whatever comes; see ``ContentService/arrivals``.
    /// - Returns: Why the wait is over; nil while it is worth waiting.
    mutating func failure(_ state: CloudState, arrivals: UInt64, now: Duration) -> DaemonFailure? {
        if case .stopped(let why) = state { return DaemonFailure(.failed, sentences: why) }
        if arrivals != self.arrivals { (self.arrivals, lastArrival, absence) = (arrivals, now, nil) }
        switch state {
        case .offline(let why): absence = why
        case .connecting: absence = absence ?? "it was not reached yet"
        case .online, .stopped: break
        }
        guard now - lastArrival >= Patience.limit else { return nil }
        let advice = "The download stays queued and goes on by itself; `ubiquity status` shows how far it is."
        guard let absence else {
            let seconds = Int(Patience.limit / .seconds(1))
            return DaemonFailure(
                .timedOut, "its bytes are not here, and nothing came from the cloud for \(seconds) seconds",
                advice: advice)
        }
        return DaemonFailure(
            .offline,
            "its bytes are not here, and the cloud cannot be reached (\(DaemonFailure.clause(absence)))", advice: advice
        )
    }
}
