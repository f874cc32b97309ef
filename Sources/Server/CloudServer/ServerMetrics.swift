import Synchronization

/// Counts what the server does, for ``MetricsText``. Knows patterns of paths and numbers, no names.
final class ServerMetrics: Sendable {
    struct Kind: Hashable, Comparable {
        let method: String
        let route: String
        let status: Int

        static func < (left: Kind, right: Kind) -> Bool {
            (left.route, left.method, left.status) < (right.route, right.method, right.status)
        }
    }

    /// How long the requests of one route took.
    struct Times: Hashable {
        var counts = [UInt64](repeating: 0, count: ServerMetrics.bounds.count + 1)
        var seconds = 0.0
    }

    struct State {
        var requests: [Kind: UInt64] = [:]
        var times: [String: Times] = [:]
        var streams = 0
        var collections: UInt64 = 0
        var collectedChunks: UInt64 = 0
        var collectedBytes: UInt64 = 0
    }

    /// Upper ends of the classes of times, in seconds.
    static let bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10]

    private let state = Mutex(State())
    let start = ContinuousClock.now

    var snapshot: State { state.withLock { $0 } }

    /// The routes are as many as the server has, so this stays small whatever is asked.
    func count(_ kind: Kind, took duration: Duration) {
        let seconds = duration / .seconds(1)
        let place = Self.bounds.firstIndex { seconds <= $0 } ?? Self.bounds.count
        state.withLock { state in
            state.requests[kind, default: 0] += 1
            state.times[kind.route, default: Times()].counts[place] += 1
            state.times[kind.route, default: Times()].seconds += seconds
        }
    }

    func streams(_ change: Int) { state.withLock { $0.streams += change } }

    func collected(_ chunks: Int, _ bytes: UInt64) {
        state.withLock { state in
            state.collections += 1
            state.collectedChunks += UInt64(chunks)
            state.collectedBytes += bytes
        }
    }
}
