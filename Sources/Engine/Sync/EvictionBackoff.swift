import Basics
import LocalMetadata

/// When to ask again whether a document's bytes may go: who keeps it is not asked every second for as long as space is short.
struct EvictionBackoff: Sendable {
    private static let pause = Duration.seconds(300)
    /// Refusals to remember; beyond this those that are over are forgotten.
    private static let most = 1_000

    private var until: [NodeID: Timestamp] = [:]

    func mayAsk(_ node: NodeID, at time: Timestamp) -> Bool { until[node].map { $0 <= time } ?? true }

    mutating func refused(_ node: NodeID, at time: Timestamp) {
        until[node] = time.adding(Self.pause)
        if until.count > Self.most { until = until.filter { $0.value > time } }
    }
}
