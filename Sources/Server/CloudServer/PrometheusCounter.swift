import CoreMetrics
import Synchronization

/// A counter: a growing number, saturating at its maximum.
final class PrometheusCounter: CounterHandler {
    private let count = Mutex<Int64>(0)

    var value: Int64 { count.withLock { $0 } }

    func increment(by amount: Int64) {
        count.withLock { $0 = $0.addingReportingOverflow(max(0, amount)).overflow ? .max : $0 + max(0, amount) }
    }

    func reset() { count.withLock { $0 = 0 } }
}
