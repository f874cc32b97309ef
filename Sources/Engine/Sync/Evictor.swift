import CloudModel
import Glibc
import LocalContent
package import LocalMetadata
import Logging

/// Drops local bytes, by hand or to keep the cache within its limits.
package struct Evictor: Sendable {
    let context: EngineContext

    package init(_ context: EngineContext) { self.context = context }

    /// Drops the bytes of one file. Throws ``EvictionRefusal`` where they must stay; no error where there are none.
    package func evict(_ node: NodeID) throws {
        try context.changeTree { transaction, effects in
            guard var item = try transaction.item(node) else { return }
            let isOpen = context.mounted.isOpen(node)
            if let refusal = EvictionRefusal(item, isOpen: isOpen, isKept: try transaction.isKept(item)) {
                throw refusal
            }
            guard item.presence != .none, item.size > 0 else { return }
            // A blob that is not what the row says was written behind our back: that is an edit, and stays.
            if item.presence == .whole {
                let blob = try context.content.status(item.blob)
                guard blob.size == item.size else { throw EvictionRefusal.isEdited }
            }
            effects.orphanedBlobs.append(item.blob)
            effects.changedNodes.insert(node)
            item.presence = .none
            item.ranges = []
            item.generation += 1
            item.wanted = 0
            try transaction.update(item)
        }
    }

    /// Evicts the least recently used files while the cache is over its limits. Answers how many went.
    @discardableResult
    package func enforce(_ limits: CacheLimits) throws -> Int {
        let space = try context.content.space()
        let free = UInt64(space.f_bavail) * UInt64(space.f_frsize)
        let candidates = try context.metadata.read { transaction -> (items: [LocalItem], excess: UInt64) in
            let excess = limits.excess(present: try transaction.presentBytes(), free: free)
            return (excess == 0 ? [] : try transaction.evictable(limit: 512), excess)
        }
        guard candidates.excess > 0 else { return 0 }
        let plan = EvictionPlan(candidates: candidates.items, excess: candidates.excess) { context.mounted.isOpen($0) }
        var count = 0
        for victim in plan.victims {
            do {
                try evict(victim.node)
                count += 1
            } catch let refusal as EvictionRefusal {
                context.log.debug("kept a file", metadata: ["reason": "\(refusal.rawValue)"])
            }
        }
        return count
    }
}
