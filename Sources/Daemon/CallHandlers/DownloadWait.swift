import Basics
import DaemonProtocol
import Sync

/// Decides how long a client waits for its requested downloads: while bytes arrive, and ``Patience/limit`` after the
/// last. Pure.
struct DownloadWait {
    private var arrivals: UInt64
    private var lastArrival: Duration
    /// The reason why the cloud could not be reached since then, if so.
    private var absence: String?

    /// - Parameter now: The monotonic time since any fixed moment.
    init(arrivals: UInt64, now: Duration) {
        self.arrivals = arrivals
        lastArrival = now
    }

    /// - Parameter arrivals: A counter of all arrivals; see ``ContentService/arrivals``.
    /// - Returns: The reason why the wait is over; nil while waiting makes sense.
    mutating func failure(_ state: CloudState, arrivals: UInt64, now: Duration) -> DaemonFailure? {
        if case .stopped(let why) = state { return DaemonFailure(.failed, sentences: why) }
        if arrivals != self.arrivals { (self.arrivals, lastArrival, absence) = (arrivals, now, nil) }
        switch state {
        case .offline(let why): absence = why
        case .connecting: absence = absence ?? "it was not reached yet"
        case .online, .stopped: break
        }
        guard now - lastArrival >= Patience.limit else { return nil }
        let advice = "The download stays queued and continues in the background; `ubiquity status` shows its progress."
        guard let absence else {
            let seconds = Int(Patience.limit / .seconds(1))
            return DaemonFailure(
                .timedOut, "its bytes are not on this device, and the cloud sent none for \(seconds) seconds",
                advice: advice)
        }
        return DaemonFailure(
            .offline,
            "its bytes are not on this device, and the cloud cannot be reached (\(DaemonFailure.clause(absence)))",
            advice: advice
        )
    }
}
