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

    /// Drops the bytes of a file if the cloud confirms that it has them; succeeds if there are none. Blocks while the
    /// cloud is asked.
    ///
    /// - Parameter isForSpace: Whether the bytes may be downloaded again without a request when there is plenty of
    ///   space, if the file's pin says so.
    /// - Throws: ``EvictionRefusal`` if they must stay.
    package func evict(_ node: NodeID, forSpace isForSpace: Bool = false) throws {
        let item = try context.metadata.read { try $0.local.item(node) }
        // Other reasons to keep the file come first, and need no answer of the cloud.
        guard let item, try refusal(to: item) == nil else {
            return try evict(node, forSpace: isForSpace, stored: [])
        }
        try evict(node, forSpace: isForSpace, stored: StoredContents(context: context).find(of: [item]))
    }

    private func refusal(to item: LocalItem) throws -> EvictionRefusal? {
        let isKept = try context.metadata.read { try $0.isKept(item) }
        return EvictionRefusal(item, isOpen: context.mounted.isOpen(item.node), isKept: isKept)
    }

    /// - Parameter stored: The cloud's contents.
    package func evict(_ node: NodeID, forSpace isForSpace: Bool, stored: Set<StoredContents.Place>) throws {
        let evicted: LocalItem? = try context.changeTree(.freeing) { transaction, effects in
            guard var item = try transaction.local.item(node) else { return nil }
            let isOpen = context.mounted.isOpen(node)
            if let refusal = EvictionRefusal(item, isOpen: isOpen, isKept: try transaction.isKept(item)) {
                throw refusal
            }
            guard item.presence != .none, item.size > 0 else { return nil }
            // The blob differs from the row because it was written unnoticed: this is an edit, and its bytes stay.
            if item.presence == .whole {
                let blob = try context.content.status(item.blob)
                guard blob.size == item.size else { throw EvictionRefusal.isEdited }
            }
            guard let content = item.content,
                stored.contains(StoredContents.Place(container: item.container, content: content))
            else { throw EvictionRefusal.isUnconfirmed }
            effects.orphanedBlobs.append(item.blob)
            effects.changedNodes.insert(node)
            item.presence = .none
            item.ranges = []
            item.generation += 1
            let returns = try isForSpace && transaction.local.effectivePin(of: node) == .whenSpace
            item.wanted = returns ? DownloadPriority.whenSpace : 0
            try transaction.local.update(item)
            return item
        }
        guard let evicted else { return }
        context.transferLog.debug(
            "evicted",
            metadata: evicted.logged + ["why": isForSpace ? "space" : "requested", "bytes": "\(evicted.size)"])
    }

    /// Drops the bytes of files, as ``evict(_:forSpace:)`` does, with a single query to the cloud for many of them.
    ///
    /// - Parameter report: Called for each file, with the error that kept it.
    package func evict(_ files: [LocalItem], _ report: (LocalItem, (any Error)?) -> Void) {
        var rest = files[...]
        while !rest.isEmpty {
            let part = Array(rest.prefix(StoredContents.limit))
            rest = rest.dropFirst(part.count)
            // Without an answer each file is refused.
            let stored = (try? StoredContents(context: context).find(of: part)) ?? []
            for file in part {
                do {
                    try evict(file.node, forSpace: false, stored: stored)
                    report(file, nil)
                } catch { report(file, error) }
            }
        }
    }

    /// Evicts the least recently used files while the cache is over its limits. Returns the number of evicted files.
    @discardableResult
    package func enforce(_ limits: CacheLimits) throws -> Int {
        let free = try context.content.freeBytes()
        return try evict(
            bytes: limits.excess(present: context.metadata.read { try $0.transfers.presentBytes() }, free: free))
    }

    /// Returns whether that number of bytes can be evicted.
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

    /// Evicts the least recently used files until that number of bytes is freed or no candidates are left. Returns the
    /// number of evicted files.
    func evict(bytes: UInt64) throws -> Int {
        var excess = bytes
        var count = 0
        var kept = 0
        while excess > 0 {
            // Files that had to stay (pinned from above, open) always come first in the list: continue behind them.
            let candidates = try context.metadata.read { try $0.transfers.evictable(limit: 256, offset: kept) }
            guard !candidates.isEmpty else { break }
            let plan = EvictionPlan(candidates: candidates, excess: excess) { context.mounted.isOpen($0) }
            let stored = try StoredContents(context: context).find(of: plan.victims)
            let gone = plan.victims.filter { wasEvicted($0, stored) }
            excess -= min(excess, gone.reduce(0) { $0.saturatingSum($1.size) })
            count += gone.count
            kept += candidates.count - gone.count
        }
        return count
    }

    /// Drops the bytes of a file if its presenters agree; if they have to be asked, drops them later once they have.
    /// Returns whether the bytes are dropped already. Throws as ``evict(_:)``, and ``EvictionRefusal/isPresented`` if a
    /// program keeps it.
    package func evictWithPermit(_ node: NodeID) throws -> Bool {
        try evictWithPermit(node, forSpace: false) { try evict(node) }
    }

    private func evictWithPermit(_ node: NodeID, forSpace isForSpace: Bool, _ evict: () throws -> Void) throws -> Bool {
        guard !context.permits.areFree else {
            try evict()
            return true
        }
        switch context.permits.ask(.evict, for: node) {
        case .now(let end):
            defer { end() }
            try evict()
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
        } catch {
            context.transferLog.debug("not evicted", metadata: ["node": "\(node)", "why": "\(error)"])
        }
    }

    private func noteRefusal(_ node: NodeID) {
        let now = context.time.now()
        context.waiting.backoff.withLock { $0.refused(node, at: now) }
    }

    /// Evicts up to that number of the least recently used files. Returns the number of evicted files.
    func evict(files: Int) throws -> Int {
        var (count, kept) = (0, 0)
        while count < files {
            let candidates = try context.metadata.read { try $0.transfers.evictable(limit: 256, offset: kept) }
            guard !candidates.isEmpty else { break }
            let victims = Array(candidates.filter { !context.mounted.isOpen($0.node) }.prefix(files - count))
            let stored = try StoredContents(context: context).find(of: victims)
            let gone = victims.count { wasEvicted($0, stored) }
            count += gone
            kept += candidates.count - gone
        }
        return count
    }

    private func wasEvicted(_ item: LocalItem, _ stored: Set<StoredContents.Place>) -> Bool {
        let now = context.time.now()
        guard context.waiting.backoff.withLock({ $0.mayAsk(item.node, at: now) }) else { return false }
        do {
            return try evictWithPermit(item.node, forSpace: true) {
                try evict(item.node, forSpace: true, stored: stored)
            }
        } catch {
            if error as? EvictionRefusal == .isPresented { noteRefusal(item.node) }
            context.transferLog.debug("not evicted", metadata: item.logged + ["why": "\(error)"])
            return false
        }
    }
}
