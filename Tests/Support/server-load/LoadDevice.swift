import Basics
import CloudModel
import CloudProtocol
import CloudStorage
import ContainerLog
import HTTPCloud
import Logging
import Synchronization

/// A device that writes at a given rate and reads the writes of its account's other devices.
final class LoadDevice: Sendable {
    let backend: HTTPBackend
    let id: DeviceID
    let figures: Figures
    private let chunks = Mutex<[ChunkID]>([])
    private let acknowledged = Mutex<[LogSequence: [UInt8]]>([:])

    init(_ number: Int, token: String, server: String, figures: Figures) async throws {
        id = DeviceID(UInt64(number + 1))
        self.figures = figures
        let quiet = Logger(label: "server-load") { _ in SwiftLogNoOpLogHandler() }
        backend = HTTPBackend(address: try ServerAddress(server), logger: quiet) { token }
        _ = try await backend.connect(create: true)
        try await backend.createContainer(.cloudDocs)
    }

    /// The acknowledged entries, by the sequence returned by the server.
    var claims: [LogSequence: [UInt8]] { acknowledged.withLock { $0 } }

    /// The acknowledged chunks.
    var storedChunks: [ChunkID] { chunks.withLock { $0 } }
    func stored(_ chunk: ChunkID) { chunks.withLock { $0.append(chunk) } }

    /// Creates `rate` changes a second, and appends them as a device does: in batches, at most one per gathering
    /// interval, one append at a time.
    func write(rate: Double, until end: ContinuousClock.Instant) async {
        let start = ContinuousClock.now + .seconds(1 / rate) * Double.random(in: 0..<1)
        let wallStart = SystemTime().now().adding(start - .now)
        var (sent, number) = (0, UInt64(0))
        var next = start + .seconds(1 / rate)
        while next < end {
            // Only cancellation ends the sleep early, and this task is not cancelled.
            try? await Task.sleep(until: next)
            let begun = ContinuousClock.now
            let due = Int((ContinuousClock.now - start) / .seconds(1) * rate)
            number += 1
            let made = (sent..<due).map { Duration.seconds(Double($0 + 1) / rate) }
            await append(number, made.map { wallStart.adding($0) }, until: end)
            for change in made { figures.appended(.now - (start + change)) }
            sent = due
            next = max(begun + Self.gather, start + .seconds(Double(sent + 1) / rate))
        }
    }

    /// How long after the end of the load an entry or a chunk is still tried: the server may be restarting.
    static let patience = Duration.seconds(30)
    /// The same as in ``EngineTiming``.
    private static let gather = Duration.milliseconds(250)

    private func append(_ number: UInt64, _ times: [Timestamp], until end: ContinuousClock.Instant) async {
        while .now < end + Self.patience {
            do {
                let payload = try batch(number, times).encoded()
                let place = try await backend.append(payload, to: .cloudDocs, after: .start)
                acknowledged.withLock { $0[place] = payload }
                return
            } catch {
                figures.failed()
                // The server may be unreachable; only cancellation ends the sleep early, and this task is not cancelled.
                try? await Task.sleep(for: .milliseconds(200))
            }
        }
        figures.gaveUp()
    }

    private func batch(_ number: UInt64, _ times: [Timestamp]) -> ChangeBatch {
        let changes = times.map { time in
            Change.setAttributes(ItemID(high: id.value, low: number % 100), AttributeChanges(modified: time))
        }
        return ChangeBatch(
            device: id, deviceName: "load", deviceSequence: number, time: SystemTime().now(), changes: changes)
    }

    func follow(until end: ContinuousClock.Instant) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.read() }
            // The sleep is cancelled when the reading ends first.
            group.addTask { try? await Task.sleep(until: end) }
            await group.next()
            group.cancelAll()
        }
    }

    private func read() async {
        var cursor = LogPosition.start
        for await _ in backend.events() {
            // Unreadable entries are read after the next hint.
            while let records = try? await backend.entries(in: .cloudDocs, after: cursor, limit: 1_024),
                let last = records.last
            {
                note(records)
                cursor = last.position
            }
        }
    }

    private func note(_ records: [LogRecord]) {
        let now = SystemTime().now().nanoseconds
        for record in records {
            // Other programs' entries are not part of the load.
            guard let batch = try? ChangeBatch(decoding: record.payload), batch.device != id else { continue }
            for case .setAttributes(_, let change) in batch.changes {
                if let made = change.modified { figures.saw(Double(now - made.nanoseconds) / 1e6) }
            }
        }
    }
}
