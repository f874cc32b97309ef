import Basics
import CloudModel
import CloudProtocol
import CloudStorage
import ContainerLog
import HTTPCloud
import Logging
import Synchronization

/// One device: writes at its pace, and reads what others of its account write.
final class LoadDevice: Sendable {
    let backend: HTTPBackend
    private let id: DeviceID
    private let figures: Figures
    private let acknowledged = Mutex<[LogSequence: [UInt8]]>([:])

    init(_ number: Int, token: String, server: String, figures: Figures) async throws {
        id = DeviceID(UInt64(number + 1))
        self.figures = figures
        let quiet = Logger(label: "server-load") { _ in SwiftLogNoOpLogHandler() }
        backend = HTTPBackend(address: try ServerAddress(server), logger: quiet) { token }
        _ = try await backend.connect(create: true)
        try await backend.createContainer(.cloudDocs)
    }

    /// What the server said it has, and where.
    var claims: [LogSequence: [UInt8]] { acknowledged.withLock { $0 } }

    func write(every pause: Duration, until end: ContinuousClock.Instant) async {
        var next = ContinuousClock.now + pause * Double.random(in: 0..<1)
        var number: UInt64 = 0
        while next < end {
            // Only cancellation ends the sleep early, and nobody cancels.
            try? await Task.sleep(until: next)
            number += 1
            await append(number, until: end)
            // Who was held up does not catch up in a burst: it is a load of devices, not a queue.
            next = max(next + pause, .now)
        }
    }

    private func append(_ number: UInt64, until end: ContinuousClock.Instant) async {
        let begun = ContinuousClock.now
        while .now < end + .seconds(10) {
            do {
                let payload = try batch(number).encoded()
                let place = try await backend.append(payload, to: .cloudDocs)
                acknowledged.withLock { $0[place] = payload }
                figures.appended(.now - begun)
                return
            } catch {
                figures.failed()
                // The server may be away; only cancellation ends the sleep early, and nobody cancels.
                try? await Task.sleep(for: .milliseconds(200))
            }
        }
    }

    private func batch(_ number: UInt64) -> ChangeBatch {
        let item = ItemID(high: id.value, low: number % 100)
        let changes = AttributeChanges(permissions: UInt16(number % 512), modified: SystemTime().now())
        return ChangeBatch(
            device: id, deviceName: "load", deviceSequence: number, time: SystemTime().now(),
            changes: [.setAttributes(item, changes)])
    }

    func follow(until end: ContinuousClock.Instant) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.read() }
            group.addTask { try? await Task.sleep(until: end) }
            await group.next()
            group.cancelAll()
        }
    }

    private func read() async {
        var cursor = LogSequence.zero
        for await _ in backend.events() {
            // What can not be read now is read after the next hint.
            while let records = try? await backend.entries(in: .cloudDocs, after: cursor, limit: 1_024),
                let last = records.last
            {
                note(records)
                cursor = last.sequence
            }
        }
    }

    private func note(_ records: [LogRecord]) {
        let now = SystemTime().now().nanoseconds
        for record in records {
            guard let batch = try? ChangeBatch(decoding: record.payload), batch.device != id else { continue }
            figures.saw(Double(now - batch.time.nanoseconds) / 1e6)
        }
    }
}

/// Looks in the log of one account for all that its devices were told is there.
struct LogProof {
    private let devices: ArraySlice<LoadDevice>

    init(_ devices: ArraySlice<LoadDevice>) { self.devices = devices }

    /// How many acknowledged entries are not where the server said.
    func lost() async throws -> Int {
        guard let reader = devices.first else { return 0 }
        var claims = devices.reduce(into: [LogSequence: [UInt8]]()) { all, device in
            all.merge(device.claims) { first, _ in first }
        }
        // Two entries of one place would be one lost.
        let twice = devices.reduce(0) { $0 + $1.claims.count } - claims.count
        var cursor = LogSequence.zero
        while true {
            let records = try await reader.backend.entries(in: .cloudDocs, after: cursor, limit: 1_024)
            guard let last = records.last else { return claims.count + twice }
            for record in records where claims[record.sequence] == record.payload { claims[record.sequence] = nil }
            cursor = last.sequence
        }
    }
}
