package import CloudModel
import Foundation
import Logging

/// The use of a container's space.
extension ChunkCollector {
    /// Counts how much of the account's quota a container's chunks, log and links take, by their use.
    func use(of container: LogStore.StoredContainer) async throws -> CloudUse {
        let named = try await namedChunks(of: container)
        var use = try await chunks.ownUse(of: container.id)
        var position = Data()
        while true {
            try Task.checkCancellation()
            let page = try await chunks.places(in: container.id, after: position, touchedBefore: .max)
            guard let last = page.last else { return use }
            position = Data(last.id.bytes)
            use += try await chunks.threads.blocking { try named.use(of: page) }
        }
    }

    private func namedChunks(of container: LogStore.StoredContainer) async throws -> NamedChunks {
        let path = try await trees.folded(container.id, to: LogSequence(container.sequence)).path
        let named = try await chunks.threads.blocking { try NamedChunks(path: path) }
        let published = try await links.contents(heldIn: container.id, at: chunks.now())
        try await chunks.threads.blocking { try named.addContents(published: published) }
        var last: Int64 = 0
        while true {
            try Task.checkCancellation()
            let page = try await chunks.threads.blocking { [last] in try named.lists(after: last, limit: Self.page) }
            guard let end = page.last else { return named }
            last = end.number
            for listed in page { try await add(listed, container, to: named) }
        }
    }

    /// The number of contents read at a time.
    private static let page = 512

    /// Records the chunks of a manifest. If it cannot be read, they count as named by nothing.
    private func add(
        _ listed: NamedChunks.ListedContent, _ container: LogStore.StoredContainer, to named: NamedChunks
    ) async throws {
        let content = listed.content
        guard let row = try await chunks.manifestRow(content.digest, in: container.id) else { return }
        do {
            _ = try await forEachPart(of: row.place, [Int64(clamping: content.size)], container) { ids in
                try await chunks.threads.blocking { try named.add(ids, of: listed) }
            }
        } catch let error as StorageError where error.code == .damaged {
            log.warning("a list of chunks cannot be read", metadata: ["container": "\(container.id)"])
        }
    }
}

extension ChunkStore {
    /// Returns the space taken by a container's log and links themselves.
    fileprivate func ownUse(of container: Int64) async throws -> CloudUse {
        try await database.read { db in
            var use = CloudUse()
            use.log = UInt64(clamping: try db.value(Int64.self, StorageCost.entriesOfContainer, [container]) ?? 0)
            let links = try db.value(Int64.self, "SELECT COUNT(*) FROM link WHERE container = ?", [container]) ?? 0
            use.links = UInt64(clamping: links) * UInt64(StorageCost.link)
            return use
        }
    }
}

extension ServerStore {
    /// Returns the use of an account's space, or of one of its containers.
    ///
    /// - Throws: `busy` if too many ask for that now.
    package func use(of account: AccountID, in name: ContainerName? = nil) async throws -> CloudUseReport {
        try await uses.run(for: account) {
            let collector = ChunkCollector(
                logs: logs, chunks: chunks, links: links, trees: trees, directory: directory, log: log)
            var parts = CloudUse()
            for container in try await logs.storedContainers(of: account) {
                guard name == nil || container.name == name?.text else { continue }
                parts += try await collector.use(of: container)
            }
            let (used, quota) = try await accounts.use(of: account)
            return CloudUseReport(parts: parts, counted: used, quota: quota)
        }
    }
}
