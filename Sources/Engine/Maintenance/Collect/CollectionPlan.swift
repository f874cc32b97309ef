package import Basics
package import ContainerLog

/// Decides the steps of a container's collections: events in, actions out. Pure.
///
/// All its inputs are in the folded log, so any device can continue at any step. Time only delays `begun`, to keep
/// refused batches rare; no rule depends on a clock. docs/LOG.md, "Collection", has the rules.
package struct CollectionPlan: Sendable {
    /// Why a collection runs.
    package enum Purpose: Hashable, Sendable {
        /// A person asked for it: any garbage is collected.
        case requested
        /// Automatic, for a share of garbage worth the requests.
        case automatic
        /// Only measures.
        case dryRun
    }

    package enum Event: Hashable, Sendable {
        /// The log was folded to its end. `proposed` has when this device first saw the open collections.
        case folded([ProposedCollection], proposed: [UInt64: Timestamp], now: Timestamp)
        /// The device has folded `begun`, its own or a remote one.
        case began(UInt64)
        /// The keys of the list were removed.
        case removed(UInt64)
        case finished(UInt64)
        case measured(CollectionTally)
        case proposed
    }

    package enum Action: Hashable, Sendable {
        /// Append `begun`.
        case begin(UInt64)
        /// Fold, and remove the list's keys of unneeded chunks.
        case remove(UInt64)
        /// Append `done`.
        case finish(UInt64)
        /// List the cloud, and count unneeded chunks.
        case measure
        /// Append `proposed` with the measured garbage.
        case propose
        /// Nothing is left to do now.
        case end
    }

    /// How long a proposal rests. Online devices fold it meanwhile, so that few batches are refused.
    package static let rest = Duration.seconds(86_400)

    private let purpose: Purpose
    private var due: [ProposedCollection] = []
    /// Whether a proposed collection still rests: a further collection would list the same keys.
    private var isResting = false

    package init(_ purpose: Purpose) { self.purpose = purpose }

    package mutating func handle(_ event: Event) -> Action {
        switch event {
        case .folded(let collections, let proposed, let now):
            let open = collections.filter { $0.phase != .done }.sorted { $0.epoch < $1.epoch }
            due = open.filter { $0.phase == .begun || Self.isDue(proposed[$0.epoch], now) }
            isResting = due.count < open.count
            return next()
        case .began(let epoch): return .remove(epoch)
        case .removed(let epoch): return .finish(epoch)
        case .finished: return next()
        case .measured(let tally): return isWorthIt(tally) ? .propose : .end
        case .proposed: return .end
        }
    }

    private mutating func next() -> Action {
        guard purpose != .dryRun, !due.isEmpty else { return .measure }
        let collection = due.removeFirst()
        return collection.phase == .begun ? .remove(collection.epoch) : .begin(collection.epoch)
    }

    /// A proposal of the future was seen before the clock was set back; its rest starts again.
    private static func isDue(_ proposed: Timestamp?, _ now: Timestamp) -> Bool {
        guard let proposed else { return false }
        return proposed.adding(rest) <= now
    }

    private func isWorthIt(_ tally: CollectionTally) -> Bool {
        guard !isResting, tally.garbageChunks > 0 else { return false }
        switch purpose {
        case .requested: return true
        case .automatic: return tally.garbageBytes > tally.storedBytes / 5
        case .dryRun: return false
        }
    }
}

/// A container's chunks stored in a cloud. A chunk counts once for each of its keys.
package struct CollectionTally: Hashable, Sendable {
    package var storedChunks: UInt64 = 0
    package var storedBytes: UInt64 = 0
    package var garbageChunks: UInt64 = 0
    package var garbageBytes: UInt64 = 0

    package init() {}
}
