import Basics
package import CloudModel
package import CloudStorage
import Cryptography
import S3Client
import Synchronization

extension S3Backend {
    /// The approximate upper bound of the bytes returned per call; a call returns at least one entry.
    private static let maximumBatch = 16 << 20

    package func entries(
        in container: ContainerName, after position: LogPosition, limit: Int
    ) async throws -> [LogRecord] {
        try await perform {
            try await self.requireContainer(container)
            // A log's only listing: it shows whether segments are worth looking for.
            if self.known(container).end == nil {
                _ = try await self.findEnd(of: container, from: min(position.sequence.value, S3Layout.maximumEntry))
            }
            let entries = try await self.entries(of: container, after: position, limit: limit)
            guard let last = entries.last else {
                try await self.confirmEnd(position, of: container)
                return []
            }
            let first = position.sequence.value.saturatingSum(1)
            let following = entries.countFollowing(position.digest)
            if following == 0 {
                // Either the cloud no longer has the entries up to this position, or it has them, followed by a second
                // history.
                try await self.confirm(position, of: container)
                throw CloudError.twoHistories(from: first, of: container, at: "\(self.client.location)")
            }
            if following == entries.count {
                self.saw(position.sequence.value.saturatingSum(UInt64(entries.count)), last.digest, in: container)
            }
            return entries.prefix(following).enumerated().map { index, entry in
                LogRecord(LogPosition(LogSequence(first.saturatingSum(UInt64(index))), entry.digest), entry.payload)
            }
        }
    }

    private func entries(
        of container: ContainerName, after position: LogPosition, limit: Int
    ) async throws -> [LoggedEntry] {
        var entries: [LoggedEntry] = []
        var size = 0
        // The number of entries to try beyond the known end: more after each success.
        var reach: UInt64 = 1
        let start = position.sequence.value
        while entries.count < limit, size < Self.maximumBatch, start < S3Layout.maximumEntry {
            let (last, room) = (start + UInt64(entries.count), limit - entries.count)
            let digest = entries.last?.digest ?? position.digest
            var part = try await segmentEntries(container, after: last, digest, limit: room)
            var isEnd = false
            if part.isEmpty {
                let end = known(container).end ?? 0
                let count = min(end > last ? end - last : reach, UInt64(room), UInt64(concurrentRequests))
                part = try await singleEntries(container, (last + 1)...(last + max(1, count)))[...]
                isEnd = part.count < count
                reach *= 2
            }
            entries += part
            size = part.reduce(size) { $0 + $1.payload.count }
            if isEnd { break }
        }
        return entries
    }

    /// Returns single entries, up to the first gap.
    private func singleEntries(_ container: ContainerName, _ range: ClosedRange<UInt64>) async throws -> [LoggedEntry] {
        let found = try await concurrently(Array(range)) { try await self.entry($0, of: container) }
        guard let gap = found.firstIndex(of: nil) else { return found.compactMap(\.self) }
        let number = range.lowerBound + UInt64(gap)
        if number <= known(container).end ?? 0 || found[gap...].contains(where: { $0 != nil }) {
            // Both may have been appended since the first read; only now does an absent earlier entry mean a gap.
            guard try await entry(number, of: container) != nil else {
                throw try await shortened(container, number)
            }
        }
        return found[..<gap].compactMap(\.self)
    }

    private static let headerSize = StoredFrame.headerSize(of: .entry)

    /// Returns an entry; nil if it does not exist (yet).
    func entry(_ number: UInt64, of container: ContainerName) async throws -> LoggedEntry? {
        let key = layout.entry(container, number)
        let limit = Self.headerSize + StoredFrame.maximumLength(of: .entry)
        guard case .object(let object) = try await client.get(key, limit: limit) else { return nil }
        do throws(StoredFrame.Problem) {
            let header = Array(object.bytes.prefix(Self.headerSize))
            let frame = try StoredFrame(.entry, header: header, fileSize: Int64(object.bytes.count))
            let payload = Array(object.bytes.dropFirst(Self.headerSize))
            try frame.verify(payload)
            return LoggedEntry(digest: frame.digest, payload: payload)
        } catch {
            throw CloudError(error, in: "object \(key) in \(client.location)")
        }
    }

    /// Returns the digest of the log up to an entry, by the first bytes of its object.
    ///
    /// - Throws: `diverged` if the entry is gone.
    func digest(upTo number: UInt64, of container: ContainerName) async throws -> Digest {
        guard number > 0 else { return .zero }
        guard number <= S3Layout.maximumEntry else { throw try await shortened(container, number) }
        let key = layout.entry(container, number)
        let range = 0..<UInt64(Self.headerSize)
        guard case .object(let object) = try await client.get(key, range: range, limit: Self.headerSize) else {
            throw try await shortened(container, number)
        }
        do throws(StoredFrame.Problem) { return try StoredFrame(.entry, header: object.bytes).digest } catch {
            throw CloudError(error, in: "object \(key) in \(client.location)")
        }
    }

    /// Throws `diverged` if the log does not have this position.
    func confirm(_ position: LogPosition, of container: ContainerName) async throws {
        let number = position.sequence.value
        guard number > 0 else { return }
        let found = try await digest(upTo: number, of: container)
        guard found == position.digest ?? found else {
            throw CloudError.otherHistory(at: number, of: container, at: "\(client.location)")
        }
        saw(number, found, in: container)
    }

    /// Distinguishes the end of the log from a shortened or replaced log.
    private func confirmEnd(_ position: LogPosition, of container: ContainerName) async throws {
        try await confirm(position, of: container)
        let end = known(container).end ?? 0
        guard end > position.sequence.value else { return }
        guard try await client.size(layout.entry(container, end)) != nil else {
            throw try await shortened(container, end)
        }
    }

    func known(_ container: ContainerName) -> KnownLog { state.withLock { $0.logs[container] ?? KnownLog() } }
}
