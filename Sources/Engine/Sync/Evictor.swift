import Basics
import CloudModel
import Glibc
import LocalContent
package import LocalMetadata
import Logging
import Synchronization

/// Drops local bytes, on request or to keep the cache within its limits.
package struct Evictor: Sendable {
    let context: EngineContext

    package init(_ context: EngineContext) { self.context = context }

    /// Drops the bytes of one file; succeeds if there are none.
    ///
    /// - Parameter isForSpace: Whether the bytes may be downloaded again without a request when there is plenty of space, if the file's pin
    ///   says so.
    /// - Throws: ``EvictionRefusal`` where they must stay.
    package func evict(_ node: NodeID, forSpace isForSpace: Bool = false) throws {
        try context.changeTree(.freeing) { transaction, effects in
            guard var item = try transaction.local.item(node) else { return }
            let isOpen = context.mounted.isOpen(node)
            if let refusal = EvictionRefusal(item, isOpen: isOpen, isKept: try transaction.isKept(item)) {
                throw refusal
            }
            guard item.presence != .none, item.size > 0 else { return }
            // The blob differs from the row because it was written without our knowledge: that is an edit, and its bytes stay.
            if item.presence == .whole {
                let blob = try context.content.status(item.blob)
                guard blob.size == item.size else { throw EvictionRefusal.isEdited }
            }
            effects.orphanedBlobs.append(item.blob)
            effects.changedNodes.insert(node)
            item.presence = .none
            item.ranges = []
            item.generation += 1
            let returns = try isForSpace && transaction.local.effectivePin(of: node) == .whenSpace
            item.wanted = returns ? DownloadPriority.whenSpace : 0
            try transaction.local.update(item)
        }
    }

    /// Evicts the least recently used files while the cache is over its limits. Returns the number of evicted files.
    @discardableResult
    package func enforce(_ limits: CacheLimits) throws -> Int {
        let free = try context.content.freeBytes()
        return try evict(
            bytes: limits.excess(present: context.metadata.read { try $0.transfers.presentBytes() }, free: free))
    }

    /// Returns whether that many bytes can be evicted.
    func canEvict(bytes: UInt64) throws -> Bool {
        var (rest, seen) = (bytes, 0)
        while rest > 0 {
            let page = try context.metadata.read { try $0.transfers.evictable(limit: 256, offset: seen) }
            guard !page.isEmpty else { return false }
            seen += page.count
            for item in page where !context.mounted.isOpen(item.node) { rest -= min(rest, item.size) }
        }
        return true
    }

    /// Evicts the least recently used files until that many bytes are freed or none are left to evict. Returns the number of evicted files.
    func evict(bytes: UInt64) throws -> Int {
        var excess = bytes
        var count = 0
        var kept = 0
        while excess > 0 {
            // Files that had to stay (pinned from above, open) always come first in the list: continue behind them.
            let candidates = try context.metadata.read { try $0.transfers.evictable(limit: 256, offset: kept) }
            guard !candidates.isEmpty else { break }
            let plan = EvictionPlan(candidates: candidates, excess: excess) { context.mounted.isOpen($0) }
            let gone = plan.victims.filter(wasEvicted)
            excess -= min(excess, gone.reduce(0) { $0.saturatingSum($1.size) })
            count += gone.count
            kept += candidates.count - gone.count
        }
        return count
    }

    /// Drops the bytes of one file if its presenters agree; if they have to be asked, drops them later once they have. Returns whether the
    /// bytes are dropped already. Throws as ``evict(_:)``, and ``EvictionRefusal/isPresented`` where a program keeps it.
    package func evictWithPermit(_ node: NodeID, forSpace isForSpace: Bool = false) throws -> Bool {
        guard !context.permits.areFree else {
            try evict(node, forSpace: isForSpace)
            return true
        }
        switch context.permits.ask(.evict, for: node) {
        case .now(let end):
            defer { end() }
            try evict(node, forSpace: isForSpace)
            return true
        case .later(let permit):
            context.waiting.add(node, permit) { [self] in await evictLater(node, forSpace: isForSpace, $0) }
            return false
        case .refused: throw EvictionRefusal.isPresented
        }
    }

    private func evictLater(_ node: NodeID, forSpace isForSpace: Bool, _ end: PermitRelease?) async {
        do {
            try await context.blocking { [self] in
                guard let end else { return noteRefusal(node) }
                defer { end() }
                try evict(node, forSpace: isForSpace)
            }
        } catch { context.log.debug("kept a file", metadata: ["why": "\(error)"]) }
    }

    private func noteRefusal(_ node: NodeID) {
        let now = context.time.now()
        context.waiting.backoff.withLock { $0.refused(node, at: now) }
    }

    private func wasEvicted(_ item: LocalItem) -> Bool {
        let now = context.time.now()
        guard context.waiting.backoff.withLock({ $0.mayAsk(item.node, at: now) }) else { return false }
        do { return try evictWithPermit(item.node, forSpace: true) } catch {
            if error as? EvictionRefusal == .isPresented { noteRefusal(item.node) }
            context.log.debug("kept a file", metadata: ["why": "\(error)"])
            return false
        }
    }
}
