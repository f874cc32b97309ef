package import Basics
package import LocalMetadata

/// Decides which documents a program with costly type detection (``LookStyle/long``) may look into. Pure.
///
/// A file manager showing a folder looks into all its documents in turn: it gets the first few. A person opens a
/// document now and then: that is admitted again after a minute.
package struct SparingLooks: Sendable {
    /// The most documents within ``window``.
    package static let maximumLooks = 8
    package static let window = Duration.seconds(60)
    /// The number of remembered programs; beyond it the least recently looking program is forgotten.
    package static let maximumPrograms = 16

    private struct Look {
        let node: NodeID
        let time: Timestamp
    }

    /// The admitted looks of each program, the oldest first.
    private var looks: [String: [Look]] = [:]

    package init() {}

    /// Returns whether a program may look into a document. A document stays open to it for a moment after being
    /// admitted.
    package mutating func admits(_ node: NodeID, by program: String, at now: Timestamp) -> Bool {
        let start = now.adding(.zero - Self.window)
        // Future looks are from before the clock was set back.
        var recent = (looks[program] ?? []).filter { start < $0.time && $0.time <= now }
        let isKnown = recent.contains { $0.node == node }
        let isAdmitted = isKnown || recent.count < Self.maximumLooks
        if isAdmitted, !isKnown { recent.append(Look(node: node, time: now)) }
        looks[program] = recent
        forget()
        return isAdmitted
    }

    /// The number of remembered programs.
    package var count: Int { looks.count }

    private mutating func forget() {
        guard looks.count > Self.maximumPrograms else { return }
        let oldest = looks.min { ($0.value.last?.time ?? .zero, $0.key) < ($1.value.last?.time ?? .zero, $1.key) }
        if let oldest { looks[oldest.key] = nil }
    }
}
