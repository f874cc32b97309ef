import Basics
import CloudModel
import LocalMetadata
import Logging
import Transfers

/// Runs the wanted downloads, a few at a time, most urgent first. The queue itself is in the database: ten thousand requests are rows, not
/// tasks.
final class DownloadQueue: Sendable {
    private let context: EngineContext
    private let service: ContentService
    private let room: RoomMaker
    private let running = RankedMutex<Set<NodeID>>(.leaf, [])
    private static let width = 16

    init(_ context: EngineContext, _ service: ContentService, _ room: RoomMaker) {
        self.context = context
        self.service = service
        self.room = room
    }

    /// Downloads until nothing is wanted, or until the rest waits for an unmetered network. Throws the cloud's error if
    /// it cannot be reached.
    func run() async throws {
        // Files that only fill free space are tried once per run.
        var tried: Set<NodeID> = []
        while !Task.isCancelled {
            let wanted = try await context.blocking { [context] in
                try context.metadata.read { try $0.transfers.wanted(limit: 256) }
            }
            let fresh = startable(wanted)
            guard fresh.isEmpty else {
                try await fetch(fresh)
                continue
            }
            let optional = startable(try await context.blocking { [self, tried] in try fillingSpace(without: tried) })
            guard !optional.isEmpty else { return }
            tried.formUnion(optional.map(\.node))
            try await fetch(optional)
        }
    }

    private func startable(_ wanted: [LocalItem]) -> [LocalItem] {
        let admitted = wanted.filter { item in
            !context.waiting.contains(item.node)
                && context.metered.admits(.download(DownloadCause(wanted: item.wanted)))
        }
        return running.withLock { running in admitted.filter { !running.contains($0.node) } }
    }

    /// Returns files that together fit into the spare space.
    private func fillingSpace(without tried: Set<NodeID>) throws -> [LocalItem] {
        var rest = try room.bytesToSpare()
        guard rest > 0 else { return [] }
        let candidates = try context.metadata.read {
            try $0.transfers.wantedWhenSpace(upTo: rest, limit: Self.width + tried.count)
        }
        return candidates.filter { item in
            guard !tried.contains(item.node), item.size <= rest else { return false }
            rest -= item.size
            return true
        }
    }

    private func fetch(_ items: [LocalItem]) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            var rest = items.makeIterator()
            for _ in 0..<Self.width {
                guard let item = rest.next() else { break }
                group.addTask { try await self.fetch(item) }
            }
            while try await group.next() != nil {
                if let item = rest.next() { group.addTask { try await self.fetch(item) } }
            }
        }
    }

    private func fetch(_ listed: LocalItem) async throws {
        guard running.withLock({ $0.insert(listed.node).inserted }) else { return }
        defer { _ = running.withLock { $0.remove(listed.node) } }
        // A different round may have fetched it since it was listed.
        let present = try await context.blocking { [context] in
            try context.metadata.read { try $0.local.item(listed.node) }
        }
        guard let item = present, item.wanted > 0, item.content != nil || item.presence == .whole else { return }
        let cause = DownloadCause(wanted: item.wanted)
        context.transferLog.debug(
            "fetching", metadata: item.logged + ["why": "\(cause.name)", "bytes": "\(item.size)"])
        do {
            _ = try await context.metered.perform(.download(cause)) { [self] in
                try await fetchBytes(of: item)
            }
        } catch let error as TransferError where error.code == .offline || error.code == .stalled {
            throw error
        } catch is CancellationError {
            throw CancellationError()
        } catch is StaleItem {
            // If it is not local it is still wanted, and the next round reads its current state.
            return
        } catch {
            context.log.warning("a download failed", metadata: ["node": "\(item.node)", "error": "\(error)"])
            // A retry now would fail in the same way: the error stays visible until the user or ``FailedDownloads`` requests the download
            // again.
            try await note(item, error: "\(error)", wanted: 0)
            service.noteArrival()
        }
    }

    private func fetchBytes(of item: LocalItem) async throws {
        guard item.wanted > DownloadPriority.whenSpace else { return try await fetchOptional(item) }
        try await room.making(for: item.size) {
            guard try await service.fetchUnlessCancelled(item) else { return }
            try await note(item, error: nil, wanted: 0)
        }
    }

    /// Downloads a file without evicting anything for it.
    private func fetchOptional(_ item: LocalItem) async throws {
        let isStillMeant = try await context.blocking { [context] in
            try context.metadata.read { try $0.local.effectivePin(of: item.node) == .whenSpace }
        }
        if isStillMeant {
            do { guard try await service.fetchUnlessCancelled(item) else { return } } catch
                where RoomMaker.isOfFullDisk(error)
            { return }
        }
        try await note(item, error: nil, wanted: 0)
    }

    private func note(_ item: LocalItem, error: String?, wanted: UInt8) async throws {
        try await context.blocking { [context] in
            try context.metadata.write { transaction in
                guard var row = try transaction.local.item(item.node),
                    row.wanted != wanted || row.downloadError != error
                else { return }
                row.wanted = wanted
                row.downloadError = error
                try transaction.local.update(row)
            }
        }
    }
}
