import CoreMetrics
import Testing

@testable import CloudServer

@Suite("Metrics in the text format of Prometheus")
struct PrometheusRegistryTests {
    private func text(of registry: PrometheusRegistry) -> String {
        var text = MetricsText()
        registry.write(to: &text)
        return text.text
    }

    @Test("counters, gauges and histograms are shown in the order of their families, sorted by their labels")
    func families() {
        let registry = PrometheusRegistry([
            .init(name: "b_total", kind: .counter, help: "Some."),
            .init(name: "a_seconds", kind: .histogram([0.1, 1]), help: "Times."),
            .init(name: "open", kind: .gauge, help: "Open ones."),
        ])
        for status in ["500", "200", "200"] {
            Counter(label: "b_total", dimensions: [("status", status)], factory: registry).increment()
        }
        let timer = Timer(label: "a_seconds", dimensions: [("route", "/x")], factory: registry)
        for seconds in [0.0625, 0.5, 8] { timer.recordSeconds(seconds) }
        let open = Meter(label: "open", dimensions: [], factory: registry)
        for _ in 0..<3 { open.increment() }
        open.decrement()
        #expect(
            text(of: registry) == """
                # HELP b_total Some.
                # TYPE b_total counter
                b_total{status="200"} 2
                b_total{status="500"} 1
                # HELP a_seconds Times.
                # TYPE a_seconds histogram
                a_seconds_bucket{route="/x",le="0.1"} 1
                a_seconds_bucket{route="/x",le="1.0"} 2
                a_seconds_bucket{route="/x",le="+Inf"} 3
                a_seconds_sum{route="/x"} 8.5625
                a_seconds_count{route="/x"} 3
                # HELP open Open ones.
                # TYPE open gauge
                open 2

                """)
    }

    @Test("a metric that is not declared or of another kind, and a series beyond the limit, are dropped")
    func bounds() {
        let registry = PrometheusRegistry([.init(name: "some", kind: .counter, help: "Some.")])
        Counter(label: "other", dimensions: [], factory: registry).increment()
        Meter(label: "some", dimensions: [], factory: registry).set(7)
        for number in 0..<PrometheusRegistry.maximumSeries + 10 {
            Counter(label: "some", dimensions: [("number", "\(number)")], factory: registry).increment()
        }
        let lines = text(of: registry).split(separator: "\n").filter { !$0.hasPrefix("#") }
        #expect(lines.count == PrometheusRegistry.maximumSeries)
        #expect(lines.allSatisfy { $0.hasPrefix("some") })
    }

    @Test("a counter stops at the largest number, and never decreases")
    func counter() {
        let counter = PrometheusCounter()
        counter.increment(by: .max)
        counter.increment(by: 5)
        counter.increment(by: -5)
        #expect(counter.value == .max)
    }
}
