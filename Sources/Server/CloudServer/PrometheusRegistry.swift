import CoreMetrics
import Synchronization

/// A swift-metrics backend with its numbers in memory, shown by ``MetricsText``.
///
/// Keeps only families declared at the start, each with at most ``maximumSeries`` combinations of labels. Anything
/// recorded beyond that is dropped, so no client can grow the registry.
final class PrometheusRegistry: MetricsFactory {
    struct Family: Sendable {
        enum Kind: Hashable, Sendable {
            case counter
            case gauge
            /// A histogram of times, with the upper bounds of its buckets in seconds, ascending.
            case histogram([Double])
        }

        let name: String
        let kind: Kind
        /// A one-line description for people.
        let help: String
    }

    private enum Series {
        case counter(PrometheusCounter)
        case gauge(PrometheusGauge)
        case histogram(PrometheusHistogram)
    }

    private struct Labels: Hashable {
        let names: [String]
        let values: [String]
    }

    static let maximumSeries = 4_096

    private let families: [Family]
    private let kinds: [String: Family.Kind]
    private let series = Mutex<[String: [Labels: Series]]>([:])

    /// - Parameter families: The families, without repeated names, in display order.
    init(_ families: [Family]) {
        self.families = families
        kinds = Dictionary(families.map { ($0.name, $0.kind) }, uniquingKeysWith: { first, _ in first })
    }

    func write(to text: inout MetricsText) {
        let series = series.withLock { $0 }
        for family in families {
            text.family(family.name, family.kind.name, family.help)
            let known = series[family.name] ?? [:]
            let sorted = known.sorted { $0.key.values.lexicographicallyPrecedes($1.key.values) }
            for (labels, series) in sorted {
                let labels = Array(zip(labels.names, labels.values))
                switch series {
                case .counter(let counter): text.sample(family.name, labels, "\(counter.value)")
                case .gauge(let gauge): text.sample(family.name, labels, "\(gauge.value)")
                case .histogram(let histogram): text.histogram(family.name, labels, histogram.counts)
                }
            }
        }
    }

    /// Returns the series for these labels, or nil if it has a different kind, is not declared, or exceeds the limit.
    private func find(_ name: String, _ dimensions: [(String, String)]) -> Series? {
        guard let kind = kinds[name] else { return nil }
        let labels = Labels(names: dimensions.map(\.0), values: dimensions.map(\.1))
        return series.withLock { series in
            if let known = series[name]?[labels] { return known }
            guard series[name]?.count ?? 0 < Self.maximumSeries else { return nil }
            let made: Series =
                switch kind {
                case .counter: .counter(PrometheusCounter())
                case .gauge: .gauge(PrometheusGauge())
                case .histogram(let bounds): .histogram(PrometheusHistogram(bounds))
                }
            series[name, default: [:]][labels] = made
            return made
        }
    }

    // MARK: MetricsFactory

    func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        if case .counter(let counter) = find(label, dimensions) { counter } else { NOOPMetricsHandler.instance }
    }

    func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        if case .gauge(let gauge) = find(label, dimensions) { gauge } else { NOOPMetricsHandler.instance }
    }

    func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        if case .histogram(let times) = find(label, dimensions) { times } else { NOOPMetricsHandler.instance }
    }

    /// Discards the values: the only values in any family are times.
    func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        NOOPMetricsHandler.instance
    }

    // A series stays for as long as the process: a counter starting from zero would look like a restart.
    func destroyCounter(_ handler: any CounterHandler) {}
    func destroyMeter(_ handler: any MeterHandler) {}
    func destroyTimer(_ handler: any TimerHandler) {}
    func destroyRecorder(_ handler: any RecorderHandler) {}
}

extension PrometheusRegistry.Family.Kind {
    fileprivate var name: String {
        switch self {
        case .counter: "counter"
        case .gauge: "gauge"
        case .histogram: "histogram"
        }
    }
}
