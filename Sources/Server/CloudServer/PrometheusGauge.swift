import CoreMetrics
import Synchronization

/// A gauge: a rising and falling number, shown without its fraction.
final class PrometheusGauge: MeterHandler {
    private let current = Mutex(0.0)

    var value: Int64 {
        let rounded = current.withLock { $0 }.rounded()
        return Int64(exactly: rounded) ?? (rounded < 0 ? .min : .max)
    }

    func set(_ value: Int64) { current.withLock { $0 = Double(value) } }
    func set(_ value: Double) { current.withLock { $0 = value } }
    func increment(by amount: Double) { current.withLock { $0 += amount } }
    func decrement(by amount: Double) { current.withLock { $0 -= amount } }
}
