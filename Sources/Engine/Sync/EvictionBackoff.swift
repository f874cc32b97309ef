import Basics
import LocalMetadata

/// Decides when to ask again whether a document's bytes may be evicted, so that a refusing program is not asked every
/// second while space is short.
struct EvictionBackoff: Sendable {
    private static let pause = Duration.seconds(300)
    /// The maximum number of remembered refusals; beyond it, expired ones are forgotten.
    private static let most = 1_000

    private var until: [NodeID: Timestamp] = [:]

    func mayAsk(_ node: NodeID, at time: Timestamp) -> Bool { until[node].map { $0 <= time } ?? true }

    mutating func refused(_ node: NodeID, at time: Timestamp) {
        until[node] = time.adding(Self.pause)
        if until.count > Self.most { until = until.filter { $0.value > time } }
    }
}
