package import CloudModel
package import CloudStorage
import ContainerLog

/// Copies the logs of a cloud, and the chunks that their entries name, into another cloud.
///
/// Each log of the target becomes equal to that of the source, entry by entry, so versions, history and the position that each device has
/// read to keep their meaning. The target keeps what it has if that is the beginning of the source's log, and refuses the copy otherwise.
/// So a copy that was interrupted continues, and one that is repeated adds what is new. The source is only read.
///
/// Nothing is deleted from either cloud, and no log of the target gets an entry before the chunks that it names.
package struct CloudCopy {
    /// The entries that are read at once.
    private static let page = 64

    private let source: any CloudBackend
    private let target: any CloudBackend
    private let onProgress: (CloudCopyProgress) -> Void
    private var progress = CloudCopyProgress()

    package init(
        from source: any CloudBackend, to target: any CloudBackend,
        onProgress: @escaping (CloudCopyProgress) -> Void
    ) {
        self.source = source
        self.target = target
        self.onProgress = onProgress
    }

    /// Copies everything that the source has. A device of the source continues in the target, because its position is there.
    ///
    /// - Throws: `foreign` if the target has entries that the source does not have, the clouds' errors, and `CancellationError`. Whatever
    ///   was copied by then stays, and the next copy continues there.
    package mutating func run() async throws -> CloudCopyProgress {
        let origin = try await source.connect(create: false)
        let destination = try await target.connect(create: true)
        guard origin.text != destination.text else {
            throw CloudError(.foreign, "Both addresses lead to the same cloud.")
        }
        let names = try await source.containers()
        try await refuseOthers(than: Set(names))
        for name in names.sorted() { try await copy(name) }
        return progress
    }

    /// Throws if the target has documents in a container that the source does not have.
    private func refuseOthers(than names: Set<ContainerName>) async throws {
        for name in try await target.containers() where !names.contains(name) {
            guard try await target.entries(in: name, after: .start, limit: 1).isEmpty else { throw diverged(name) }
        }
    }

    private mutating func copy(_ container: ContainerName) async throws {
        try await target.createContainer(container)
        progress.container = container
        progress.entries = 0
        var position = LogPosition.start
        var keys = CopiedKeys(from: source, to: target, container)
        while true {
            try Task.checkCancellation()
            let records = try await source.entries(in: container, after: position, limit: Self.page)
            guard let last = records.last else { break }
            let present = try await target.entries(in: container, after: position, limit: records.count)
            guard present == Array(records.prefix(present.count)) else { throw diverged(container) }
            try await copyChunks(of: records, in: container, &keys)
            var end = present.last?.position ?? position
            for record in records.dropFirst(present.count) {
                guard try await target.append(record.payload, to: container, after: end) == record.sequence else {
                    throw diverged(container)
                }
                end = record.position
            }
            progress.copiedEntries += records.count - present.count
            progress.entries = last.sequence.value
            position = last.position
            onProgress(progress)
        }
        guard try await target.entries(in: container, after: position, limit: 1).isEmpty else {
            throw diverged(container)
        }
        progress.containers += 1
    }

    /// Puts the chunks that these entries name and the target lacks. Includes entries that the target has, so that a repeated copy also
    /// restores chunks that the target lost.
    private mutating func copyChunks(
        of records: [LogRecord], in container: ContainerName, _ keys: inout CopiedKeys
    ) async throws {
        var contents: Set<ContentReference> = []
        for record in records {
            do {
                let batch = try ChangeBatch(decoding: record.payload)
                keys.note(batch)
                contents.formUnion(batch.copiedContents)
            } catch {
                // An entry that no device can read has no effect, and names no content.
                guard case .damaged = error else {
                    throw CloudError(
                        .tooNew, "A newer release wrote entry \(record.sequence) of \(container): \(error)")
                }
            }
        }
        var chunks = ChunkCopy(from: source, container, keys: keys)
        for content in contents {
            try await chunks.copy(content) { [onProgress, progress] count, bytes in
                var now = progress
                now.chunks += count
                now.bytes += bytes
                onProgress(now)
            }
        }
        keys = chunks.keys
        progress.chunks += chunks.count
        progress.bytes += chunks.bytes
        progress.incompleteContents += chunks.incompleteContents
    }

    private func diverged(_ container: ContainerName) -> CloudError {
        CloudError(
            .foreign,
            "The container \(container) of the target has entries that the source does not have, so this is not a copy of it. Copy into a new cloud, and let no device use the target before the copy is complete."
        )
    }
}

/// How far a copy is; at its end, what it did.
package struct CloudCopyProgress: Hashable, Sendable {
    /// The container whose log is being copied.
    package fileprivate(set) var container: ContainerName?
    /// The entries of that log that are in both clouds.
    package fileprivate(set) var entries: UInt64 = 0
    /// The containers that are complete.
    package fileprivate(set) var containers = 0
    /// What this copy added to the target; what it had before does not count.
    package fileprivate(set) var copiedEntries = 0
    package fileprivate(set) var chunks = 0
    /// The bytes of these chunks, as stored.
    package fileprivate(set) var bytes: UInt64 = 0
    /// The contents of which the source no longer has all chunks: usually superseded versions that were collected as garbage.
    package fileprivate(set) var incompleteContents = 0
}

extension ChangeBatch {
    /// The contents with bytes that the entry names, and the lists of collections.
    fileprivate var copiedContents: Set<ContentReference> {
        let lists = changes.compactMap { change -> ContentReference? in
            if case .collection(.proposed(_, let list)) = change { list } else { nil }
        }
        return contents.union(lists.filter { $0.layout != .empty })
    }
}
