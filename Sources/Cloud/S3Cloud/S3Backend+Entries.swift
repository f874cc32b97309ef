package import CloudModel
package import CloudStorage
import S3Client
import Synchronization

extension S3Backend {
    /// The approximate upper bound of the bytes that one call returns; it returns at least one entry.
    private static let maximumBatch = 16 << 20

    package func entries(
        in container: ContainerName, after sequence: LogSequence, limit: Int
    ) async throws -> [LogRecord] {
        try await perform {
            try await self.requireContainer(container)
            let position = sequence.value
            // The one listing of a log: it shows whether segments are worth looking for.
            if self.known(container).end == nil {
                _ = try await self.findEnd(of: container, from: min(position, S3Layout.maximumEntry))
            }
            let payloads = try await self.payloads(container, after: position, limit: limit)
            if payloads.isEmpty {
                try await self.confirmEnd(position, of: container)
            } else {
                self.saw(position + UInt64(payloads.count), in: container)
            }
            return payloads.enumerated().map {
                LogRecord(sequence: LogSequence(position + 1 + UInt64($0.offset)), payload: $0.element)
            }
        }
    }

    private func payloads(_ container: ContainerName, after position: UInt64, limit: Int) async throws -> [[UInt8]] {
        var payloads: [[UInt8]] = []
        var size = 0
        // How many entries beyond the known end are tried at once: more after each success.
        var reach: UInt64 = 1
        while payloads.count < limit, size < Self.maximumBatch, position < S3Layout.maximumEntry {
            let (last, room) = (position + UInt64(payloads.count), limit - payloads.count)
            var part = try await segmentPayloads(container, after: last, limit: room)
            var isEnd = false
            if part.isEmpty {
                let end = known(container).end ?? 0
                let count = min(end > last ? end - last : reach, UInt64(room), UInt64(concurrentRequests))
                part = try await singlePayloads(container, (last + 1)...(last + max(1, count)))[...]
                isEnd = part.count < count
                reach *= 2
            }
            payloads += part
            size = part.reduce(size) { $0 + $1.count }
            if isEnd { break }
        }
        return payloads
    }

    /// Returns the payloads of single entries, up to the first that is absent.
    private func singlePayloads(_ container: ContainerName, _ range: ClosedRange<UInt64>) async throws -> [[UInt8]] {
        let found = try await concurrently(Array(range)) { try await self.payload(of: $0, in: container) }
        guard let gap = found.firstIndex(of: nil) else { return found.compactMap(\.self) }
        let number = range.lowerBound + UInt64(gap)
        if number <= known(container).end ?? 0 || found[gap...].contains(where: { $0 != nil }) {
            // Both may have been appended since the first read; only now is the absence of the earlier one a gap.
            guard try await payload(of: number, in: container) != nil else {
                throw try await shortened(container, number)
            }
        }
        return found[..<gap].compactMap(\.self)
    }

    /// Returns an entry's payload; nil if there is no such entry (yet).
    func payload(of number: UInt64, in container: ContainerName) async throws -> [UInt8]? {
        let key = layout.entry(container, number)
        let limit = StoredFrame.headerSize + StoredFrame.maximumLength(of: .entry)
        guard case .object(let object) = try await client.get(key, limit: limit) else { return nil }
        do throws(StoredFrame.Problem) {
            let header = Array(object.bytes.prefix(StoredFrame.headerSize))
            let frame = try StoredFrame(.entry, header: header, fileSize: Int64(object.bytes.count))
            let payload = Array(object.bytes.dropFirst(StoredFrame.headerSize))
            try frame.verify(payload)
            return payload
        } catch {
            throw CloudError(error, in: "object \(key) in \(client.location)")
        }
    }

    /// Distinguishes the end of the log from a log that is shorter than it was.
    private func confirmEnd(_ position: UInt64, of container: ContainerName) async throws {
        let number = max(position, known(container).end ?? 0)
        guard number > 0 else { return }
        guard number <= S3Layout.maximumEntry, try await client.size(layout.entry(container, number)) != nil else {
            throw try await shortened(container, number)
        }
    }

    func known(_ container: ContainerName) -> KnownLog { state.withLock { $0.logs[container] ?? KnownLog() } }
}
