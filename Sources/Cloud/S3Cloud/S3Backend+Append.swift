import Basics
package import CloudModel
import CloudStorage
import Cryptography
import S3Client
import Synchronization

extension S3Backend {
    /// See ``CloudBackend/append(_:to:after:)``. Chunks need no extra step: the store made each durable before it
    /// responded.
    package func append(
        _ payload: [UInt8], to container: ContainerName, after position: LogPosition
    ) async throws -> LogSequence {
        try await perform(.writing) {
            try await self.requireContainer(container)
            let number = try await self.place(payload, in: container, after: position)
            self.ring()
            if number == LogSegment.last(of: LogSegment.index(of: number)) {
                self.writeSegment(LogSegment.index(of: number), of: container)
            }
            return LogSequence(number)
        }
    }

    /// Returns the object of an entry.
    func object(_ payload: [UInt8], digest: Digest) throws(CloudError) -> [UInt8] {
        do throws(StoredFrame.Problem) { return try StoredFrame.entry(payload, digest: digest).header + payload } catch
        {
            throw CloudError(.failed, "\(payload.count) bytes are too many for one entry of the cloud.")
        }
    }

    /// Creates the object under the first free number. A number is tried only after its predecessor was seen, so the
    /// log has no gaps.
    private func place(
        _ payload: [UInt8], in container: ContainerName, after position: LogPosition
    ) async throws -> UInt64 {
        var (last, before) = try await end(of: container, after: position)
        var losses = 0
        while last < S3Layout.maximumEntry {
            let own = before.chained(payload)
            let entry = try object(payload, digest: own)
            if try await client.create(layout.entry(container, last + 1), entry) == .created {
                saw(last + 1, own, in: container)
                return last + 1
            }
            saw(last + 1, nil, in: container)
            losses += 1
            // A writer far behind searches for the end instead of trying every number.
            last = losses.isMultiple(of: 4) ? try await findEnd(of: container, from: last + 1) : last + 1
            before = try await digest(upTo: last, of: container)
        }
        throw CloudError(.failed, "The log of \(container) in \(client.location) is full.")
    }

    /// Returns the last number of the log, or a slightly earlier number, with the digest up to there, after checking
    /// that the log has the caller's position.
    private func end(of container: ContainerName, after position: LogPosition) async throws -> (UInt64, Digest) {
        var known = known(container)
        if known.end == nil {
            _ = try await findEnd(of: container, from: min(position.sequence.value, S3Layout.maximumEntry))
            known = self.known(container)
        }
        let end = known.end ?? 0
        if end == position.sequence.value, known.isConfirmed(at: time.now()), let digest = position.digest,
            known.digest == digest
        {
            return (end, digest)
        }
        try await confirm(position, of: container)
        // Appending after a lost entry would leave a gap unreadable for all devices.
        if end == position.sequence.value, let digest = position.digest { return (end, digest) }
        return (end, try await digest(upTo: end, of: container))
    }

    /// Finds the end of the log: by a listing, or, if more than a page of entries follows, by probing single numbers.
    ///
    /// - Parameter number: An existing entry, or 0.
    func findEnd(of container: ContainerName, from number: UInt64) async throws -> UInt64 {
        let log = layout.log(container)
        let page = try await client.list(log, after: layout.entry(container, number), limit: Self.page)
        var end = max(number, page.compactMap { layout.entryNumber($0.key, in: container) }.max() ?? 0)
        if page.count == Self.page { end = try await gallop(in: container, from: end) }
        saw(end, nil, in: container)
        return end
    }

    private static let page = 1000

    /// Doubles the step until an entry is absent, then halves it.
    private func gallop(in container: ContainerName, from present: UInt64) async throws -> UInt64 {
        func exists(_ number: UInt64) async throws -> Bool {
            guard number <= S3Layout.maximumEntry else { return false }
            return try await client.size(layout.entry(container, number)) != nil
        }
        var (end, step) = (present, UInt64(Self.page))
        while try await exists(end + step) {
            end += step
            step *= 2
        }
        while step > 1 {
            step /= 2
            if try await exists(end + step) { end += step }
        }
        return end
    }

    func saw(_ number: UInt64, _ digest: Digest?, in container: ContainerName) {
        let now = time.now()
        state.withLock { $0.logs[container, default: KnownLog()].saw(number, digest, at: now) }
    }

    /// Returns the error for a lost entry.
    func shortened(_ container: ContainerName, _ number: UInt64) async throws -> CloudError {
        try await confirmIdentity()
        return .lostEntry(number, of: container, at: "\(client.location)")
    }
}
