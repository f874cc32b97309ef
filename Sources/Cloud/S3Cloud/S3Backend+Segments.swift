import CloudModel
import CloudStorage
import Logging
import S3Client
import Synchronization

extension S3Backend {
    /// The least number of useful entries for reading a segment.
    private static let worthwhile: UInt64 = 500

    /// Returns entries from a segment; none if the segment does not exist, is not worth reading, or does not follow the
    /// digest.
    func segmentEntries(
        _ container: ContainerName, after last: UInt64, _ digest: Digest?, limit: Int
    ) async throws -> ArraySlice<LoggedEntry> {
        let index = LogSegment.index(of: last + 1)
        let held = state.withLock { state -> LogSegment? in
            guard let held = state.segment, held.container == container, held.segment.index == index else { return nil }
            return held.segment
        }
        let useful = LogSegment.last(of: index) - last
        if held == nil, useful < Self.worthwhile || !known(container).mayHave(index) { return [] }
        guard let segment = if let held { held } else { try await readSegment(index, of: container) } else { return [] }
        let entries = segment.entries.dropFirst(Int(last + 1 - segment.first)).prefix(limit)
        guard entries.countFollowing(digest) == entries.count else {
            // Its log was replaced or joined since. The entries can be read individually.
            state.withLock { state in
                state.segment = nil
                state.logs[container, default: KnownLog()].missed(index)
            }
            return []
        }
        // It is kept for the next call until its last entry is returned.
        let isRead = entries.endIndex == segment.entries.endIndex
        state.withLock { $0.segment = isRead ? nil : (container, segment) }
        return entries
    }

    /// - Returns: Nil if the segment is missing or damaged: its entries can be read individually.
    private func readSegment(_ index: UInt64, of container: ContainerName) async throws -> LogSegment? {
        let key = layout.segment(container, index)
        do {
            if case .object(let object) = try await client.get(key, limit: LogSegment.maximumSize) {
                let segment = try LogSegment(index: index, parsing: object.bytes)
                state.withLock { $0.logs[container, default: KnownLog()].read(index) }
                saw(segment.last, nil, in: container)
                return segment
            }
            // Its writer was interrupted, so the first reader in need of it writes it.
            if known(container).isComplete(index) { writeSegment(index, of: container) }
        } catch let error as S3Error where error.code == .tooLong {
            logger.warning("a segment of the log is too long", metadata: ["key": "\(key)"])
        } catch let problem as StoredFrame.Problem {
            logger.warning("a segment of the log is damaged", metadata: ["key": "\(key)", "why": "\(problem)"])
        }
        state.withLock { $0.logs[container, default: KnownLog()].missed(index) }
        return nil
    }

    /// Writes a segment of existing entries. Errors are ignored, because readers do without it.
    func writeSegment(_ index: UInt64, of container: ContainerName) {
        background.run("segment \(index) of \(container)") { [weak self] in
            guard let self else { return }
            do { try await self.makeSegment(index, of: container) } catch {
                self.logger.info("a segment of the log was not written", metadata: ["why": "\(error)"])
            }
        }
    }

    private func makeSegment(_ index: UInt64, of container: ContainerName) async throws {
        var entries: [LoggedEntry] = []
        var size = 0
        // In parts, so that entries too long for a segment are not all in memory.
        for start in stride(from: LogSegment.first(of: index), through: LogSegment.last(of: index), by: 100) {
            let part = start...min(start + 99, LogSegment.last(of: index))
            let found = try await concurrently(Array(part)) { try await self.entry($0, of: container) }
            entries += found.compactMap(\.self)
            size = entries.suffix(part.count).reduce(size) { $0 + $1.payload.count }
            guard found.allSatisfy({ $0 != nil }), size <= LogSegment.maximumSize else { return }
        }
        guard entries.countFollowing(nil) == entries.count,
            let bytes = try LogSegment(index: index, entries: entries).encoded()
        else { return }
        _ = try await client.putIfAbsent(layout.segment(container, index), bytes)
        state.withLock { $0.logs[container, default: KnownLog()].wrote(index) }
    }
}
