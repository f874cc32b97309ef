import CoreMetrics

/// Counts server events through swift-metrics. Records path patterns and numbers, but no names.
///
/// Each server in a process has its own registry, so no global factory is installed (`MetricsSystem.bootstrap`).
final class ServerMetrics: Sendable {
    struct Kind: Hashable {
        let method: String
        let route: String
        let status: Int
    }

    /// The upper bounds of the histogram's buckets, in seconds.
    static let bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10]

    let registry: PrometheusRegistry
    let start = ContinuousClock.now
    private let streams: Meter
    private let collections: Counter
    private let collectedChunks: Counter
    private let collectedBytes: Counter

    init() {
        registry = PrometheusRegistry([
            .init(
                name: "ubiquity_requests_total", kind: .counter,
                help: "Handled requests, by path pattern, method and status."),
            .init(
                name: "ubiquity_request_seconds", kind: .histogram(Self.bounds),
                help: "Time until the head of the response."),
            .init(name: "ubiquity_news_streams", kind: .gauge, help: "Devices that listen to the change feed."),
            .init(name: "ubiquity_collections_total", kind: .counter, help: "Collections of chunks since the start."),
            .init(name: "ubiquity_collected_chunks_total", kind: .counter, help: "Chunks collected since the start."),
            .init(
                name: "ubiquity_collected_bytes_total", kind: .counter,
                help: "Bytes of chunks collected since the start."),
        ])
        streams = Meter(label: "ubiquity_news_streams", dimensions: [], factory: registry)
        collections = Counter(label: "ubiquity_collections_total", dimensions: [], factory: registry)
        collectedChunks = Counter(label: "ubiquity_collected_chunks_total", dimensions: [], factory: registry)
        collectedBytes = Counter(label: "ubiquity_collected_bytes_total", dimensions: [], factory: registry)
    }

    /// Counts a request. The number of routes is fixed, so the metrics stay small regardless of requests.
    func count(_ kind: Kind, took duration: Duration) {
        let labels = [("method", kind.method), ("route", kind.route), ("status", "\(kind.status)")]
        Counter(label: "ubiquity_requests_total", dimensions: labels, factory: registry).increment()
        Timer(label: "ubiquity_request_seconds", dimensions: [("route", kind.route)], factory: registry)
            .recordSeconds(duration / .seconds(1))
    }

    func streamOpened() { streams.increment() }
    func streamClosed() { streams.decrement() }

    func collected(_ chunks: Int, _ bytes: UInt64) {
        collections.increment()
        collectedChunks.increment(by: chunks)
        collectedBytes.increment(by: Int64(clamping: bytes))
    }
}
