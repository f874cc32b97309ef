import CoreMetrics
import Synchronization

/// A histogram of durations.
final class PrometheusHistogram: TimerHandler {
    struct Counts: Hashable, Sendable {
        /// The upper bounds of the buckets, in seconds.
        let bounds: [Double]
        /// The count of each bucket, and last the count above all of them.
        var counts: [UInt64]
        var seconds = 0.0
    }

    private let state: Mutex<Counts>

    init(_ bounds: [Double]) {
        state = Mutex(Counts(bounds: bounds, counts: [UInt64](repeating: 0, count: bounds.count + 1)))
    }

    var counts: Counts { state.withLock { $0 } }

    func recordNanoseconds(_ duration: Int64) {
        let seconds = Double(duration) / 1e9
        state.withLock { state in
            state.counts[state.bounds.firstIndex { seconds <= $0 } ?? state.bounds.count] += 1
            state.seconds += seconds
        }
    }
}
