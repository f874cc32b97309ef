package import CloudModel
package import CloudStorage
import ContainerLog

/// Copies a cloud's logs, and the chunks named by their entries, into a different cloud.
///
/// Each log of the target becomes equal to the source's, entry by entry, so versions, history and each device's
/// position keep their meaning. The target keeps its log if that is the beginning of the source's log, and refuses the
/// copy otherwise. So an interrupted copy continues, and a repeated copy adds the new entries. The source is only read.
///
/// Nothing is deleted from either cloud, and no log of the target gets an entry before its chunks.
package struct CloudCopy {
    package enum Purpose: Sendable {
        /// The target becomes equal to the source. Chunks of existing entries are verified, too.
        case copy
        /// A device moves to the target: like a copy, but other devices may have moved there, and written to it,
        /// before. The target has to be writable.
        case move
        /// The end of a move, after ``move``: adds new entries and verifies the positions, but not the chunks of
        /// entries already in the target.
        case rest
    }

    /// The number of entries per read.
    private static let page = 64

    private let source: any CloudBackend
    private let target: any CloudBackend
    private let purpose: Purpose
    private let onProgress: (CloudCopyProgress) -> Void
    private var progress = CloudCopyProgress()
    /// Whether the target had entries of the source before this copy.
    private var isContinued = false

    package init(
        from source: any CloudBackend, to target: any CloudBackend, for purpose: Purpose = .copy,
        onProgress: @escaping (CloudCopyProgress) -> Void
    ) {
        self.source = source
        self.target = target
        self.purpose = purpose
        self.onProgress = onProgress
    }

    /// Copies the entire source. A device of the source continues in the target, because its position exists there.
    ///
    /// - Throws: `foreign` if the target has entries unknown to the source, the clouds' errors, and
    ///   `CancellationError`. Everything copied by then stays, and the next copy continues there.
    package mutating func run() async throws -> CloudCopyProgress {
        let origin = try await source.connect(create: false)
        let destination = try await target.connect(create: true)
        guard origin.text != destination.text else {
            throw CloudError(.foreign, "Both addresses lead to the same cloud.")
        }
        let names = try await source.containers()
        try await lookAtTarget(names)
        if purpose != .rest { try await measure(names) }
        for name in names.sorted() { try await copy(name) }
        if purpose == .move { try await requireWriting(names) }
        return progress
    }

    /// Throws if the target has documents in a container unknown to the source, unless devices have already moved to
    /// this copy.
    private mutating func lookAtTarget(_ names: [ContainerName]) async throws {
        let others = try await target.containers()
        for name in names where others.contains(name) {
            guard let first = try await target.entries(in: name, after: .start, limit: 1).first else { continue }
            guard try await source.entries(in: name, after: .start, limit: 1).first == first else {
                throw diverged(name)
            }
            isContinued = true
        }
        for name in others where !names.contains(name) {
            guard try await mayHaveMore(name, after: .start) else { throw diverged(name) }
        }
    }

    /// Returns whether the target's entries after a position, if any, come from devices that have moved to it.
    private func mayHaveMore(_ container: ContainerName, after position: LogPosition) async throws -> Bool {
        if purpose != .copy, isContinued { return true }
        return try await target.entries(in: container, after: position, limit: 1).isEmpty
    }

    /// Counts the entries, and the bytes of their contents.
    private mutating func measure(_ names: [ContainerName]) async throws {
        var (entries, bytes) = (UInt64(0), UInt64(0))
        for name in names {
            var position = LogPosition.start
            var seen: Set<ContentReference> = []
            while true {
                try Task.checkCancellation()
                let records = try await source.entries(in: name, after: position, limit: Self.page)
                guard let last = records.last else { break }
                position = last.position
                entries += UInt64(records.count)
                for record in records {
                    // The copy reports unreadable entries.
                    guard let batch = try? ChangeBatch(decoding: record.payload) else { continue }
                    for content in batch.copiedContents where seen.insert(content).inserted { bytes &+= content.size }
                }
            }
        }
        progress.totalEntries = entries
        progress.totalBytes = bytes
        onProgress(progress)
    }

    private mutating func copy(_ container: ContainerName) async throws {
        try await target.createContainer(container)
        progress.container = container
        progress.entries = 0
        var position = LogPosition.start
        var chunks = ChunkCopy(from: source, container, keys: CopiedKeys(from: source, to: target, container))
        var seen = SeenContents()
        while true {
            try Task.checkCancellation()
            let records = try await source.entries(in: container, after: position, limit: Self.page)
            guard let last = records.last else { break }
            let present = try await target.entries(in: container, after: position, limit: records.count)
            guard present == Array(records.prefix(present.count)) else { throw diverged(container) }
            try await copyChunks(of: records, present: present.count, container, &chunks, &seen)
            var end = present.last?.position ?? position
            for record in records.dropFirst(present.count) {
                guard try await target.append(record.payload, to: container, after: end) == record.sequence else {
                    throw diverged(container)
                }
                end = record.position
                progress.copiedEntries += 1
                progress.doneEntries += 1
                onProgress(progress)
            }
            progress.doneEntries += UInt64(present.count)
            progress.entries = last.sequence.value
            position = last.position
            onProgress(progress)
        }
        guard try await mayHaveMore(container, after: position) else { throw diverged(container) }
        progress.containers += 1
    }

    /// Puts the chunks named by these entries and missing from the target. Includes the first `present` entries,
    /// already in the target, so that a repeated copy also restores lost chunks.
    private mutating func copyChunks(
        of records: [LogRecord], present: Int, _ container: ContainerName, _ chunks: inout ChunkCopy,
        _ seen: inout SeenContents
    ) async throws {
        var contents: [ContentReference] = []
        for (index, record) in records.enumerated() {
            do {
                let batch = try ChangeBatch(decoding: record.payload)
                chunks.keys.note(batch)
                guard purpose != .rest || index >= present else { continue }
                contents += seen.new(batch.copiedContents, since: chunks.keys.epoch)
            } catch {
                // An entry no device can read has no effect, and names no content.
                guard case .damaged = error else {
                    throw CloudError(
                        .tooNew, "A newer release wrote entry \(record.sequence) of \(container): \(error)")
                }
            }
        }
        let before = progress
        chunks.tally = ChunkCopy.Tally()
        try await chunks.copy(contents) { [onProgress] in onProgress(before.adding($0)) }
        progress = before.adding(chunks.tally)
    }

    /// Throws `readOnly` if the target refuses changes: a complete target has not shown that yet. Puts a chunk that the
    /// target already has.
    private func requireWriting(_ names: [ContainerName]) async throws {
        guard progress.copiedEntries == 0, progress.chunks == 0 else { return }
        for name in names {
            for record in try await source.entries(in: name, after: .start, limit: Self.page) {
                guard let batch = try? ChangeBatch(decoding: record.payload) else { continue }
                for content in batch.copiedContents where content.layout == .chunk {
                    // Any content does.
                    guard let frame = try? await source.getChunk(content.digest, in: name) else { continue }
                    return try await target.putChunk(content.digest, frame: frame, in: name)
                }
            }
        }
    }

    private func diverged(_ container: ContainerName) -> CloudError {
        CloudError(
            .foreign,
            "The container \(container) of the target has entries that the source does not have, so this is not a copy of it. Copy into a new cloud, and let no device use the target before the copy is complete."
        )
    }
}

/// The copied contents of a log, so that each is examined once. A garbage collection may remove keys found before its
/// proposal, so each content is examined again after it.
private struct SeenContents {
    private var epoch: UInt64 = 0
    private var contents: Set<ContentReference> = []

    mutating func new(_ all: Set<ContentReference>, since epoch: UInt64) -> [ContentReference] {
        if epoch != self.epoch { (self.epoch, contents) = (epoch, []) }
        return all.filter { contents.insert($0).inserted }
    }
}

/// The progress of a copy; at its end, the result.
package struct CloudCopyProgress: Hashable, Sendable {
    /// The container whose log is being copied.
    package fileprivate(set) var container: ContainerName?
    /// The entries of that log in both clouds.
    package fileprivate(set) var entries: UInt64 = 0
    /// The complete containers.
    package fileprivate(set) var containers = 0
    /// The entries of all logs, and the bytes of their contents, more than those of the stored chunks; 0 until they are
    /// counted.
    package fileprivate(set) var totalEntries: UInt64 = 0
    package fileprivate(set) var totalBytes: UInt64 = 0
    /// Those in both clouds.
    package fileprivate(set) var doneEntries: UInt64 = 0
    package fileprivate(set) var doneBytes: UInt64 = 0
    /// The additions of this copy to the target, without its earlier contents.
    package fileprivate(set) var copiedEntries = 0
    package fileprivate(set) var chunks = 0
    /// The bytes of these chunks, as stored.
    package fileprivate(set) var bytes: UInt64 = 0
    /// The contents with chunks missing from the source: usually superseded versions that were collected as garbage.
    package fileprivate(set) var incompleteContents = 0

    fileprivate func adding(_ tally: ChunkCopy.Tally) -> Self {
        var sum = self
        sum.chunks += tally.count
        sum.bytes += tally.bytes
        sum.doneBytes &+= tally.done
        sum.incompleteContents += tally.incompleteContents
        return sum
    }
}

extension ChangeBatch {
    /// The non-empty contents named by the entry, and the lists of collections.
    fileprivate var copiedContents: Set<ContentReference> {
        let lists = changes.compactMap { change -> ContentReference? in
            if case .collection(.proposed(_, let list)) = change { list } else { nil }
        }
        return contents.union(lists.filter { $0.layout != .empty })
    }
}
