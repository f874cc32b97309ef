import Basics
package import CloudModel
import CloudStorage
import S3Client
import Synchronization

extension S3Backend {
    /// See ``CloudBackend/append(_:to:)``. Chunks need no step of their own: the store made each durable before it responded.
    package func append(_ payload: [UInt8], to container: ContainerName) async throws -> LogSequence {
        let object = try frame(payload)
        return try await perform(.writing) {
            try await self.requireContainer(container)
            let number = try await self.place(object, in: container)
            self.saw(number, in: container)
            self.ring()
            if number == LogSegment.last(of: LogSegment.index(of: number)) {
                self.writeSegment(LogSegment.index(of: number), of: container)
            }
            return LogSequence(number)
        }
    }

    private func frame(_ payload: [UInt8]) throws(CloudError) -> [UInt8] {
        do throws(StoredFrame.Problem) { return try StoredFrame(.entry, of: payload).header + payload } catch {
            throw CloudError(.failed, "\(payload.count) bytes are too many for one entry of the cloud.")
        }
    }

    /// Creates the object under the first free number. A number is tried only after the one before it was seen, so the log has no gaps.
    private func place(_ object: [UInt8], in container: ContainerName) async throws -> UInt64 {
        var next = try await end(of: container) + 1
        var losses = 0
        while next <= S3Layout.maximumEntry {
            if try await client.create(layout.entry(container, next), object) == .created { return next }
            saw(next, in: container)
            losses += 1
            // A writer that is far behind searches for the end instead of trying every number.
            let known = losses.isMultiple(of: 4) ? try await findEnd(of: container, from: next) : next
            next = known + 1
        }
        throw CloudError(.failed, "The log of \(container) in \(client.location) is full.")
    }

    /// Returns the last number of the log, or one a little before it; the entry of that number is there.
    private func end(of container: ContainerName) async throws -> UInt64 {
        let known = state.withLock { $0.logs[container] ?? KnownLog() }
        guard let end = known.end else { return try await findEnd(of: container, from: 0) }
        // Appending after a lost entry would leave a gap that no device could read across.
        guard end > 0, !known.isConfirmed(at: time.now()) else { return end }
        guard try await client.size(layout.entry(container, end)) != nil else {
            throw try await shortened(container, end)
        }
        saw(end, in: container)
        return end
    }

    /// Finds the end of the log: by one listing, or, where more than a page of entries follows, by looking for single numbers.
    ///
    /// - Parameter number: An entry that is there, or 0.
    func findEnd(of container: ContainerName, from number: UInt64) async throws -> UInt64 {
        let log = layout.log(container)
        let page = try await client.list(log, after: layout.entry(container, number), limit: Self.page)
        var end = max(number, page.compactMap { layout.entryNumber($0.key, in: container) }.max() ?? 0)
        if page.count == Self.page { end = try await gallop(in: container, from: end) }
        saw(end, in: container)
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

    func saw(_ number: UInt64, in container: ContainerName) {
        let now = time.now()
        state.withLock { $0.logs[container, default: KnownLog()].saw(number, at: now) }
    }

    /// Returns the error for an entry that existed and is gone.
    func shortened(_ container: ContainerName, _ number: UInt64) async throws -> CloudError {
        try await confirmIdentity()
        return CloudError(
            .damaged,
            "The log of \(container) in \(client.location) has lost its entry \(number). Restore the object's earlier version; if the whole bucket was restored, run `ubiquity reset`."
        )
    }
}
