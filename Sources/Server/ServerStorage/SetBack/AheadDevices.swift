import Basics
package import CloudModel
import CloudProtocol
import Foundation
import Logging
import Synchronization

/// Devices ahead of a log: they have named a position (a number and a digest) missing from the log. So the log went
/// back to an earlier state. A row for each log and device stays until the device names a position that the log has, or
/// its access ends.
package final class AheadDevices: NounStore {
    private struct Key: Hashable {
        let device: Int64
        let container: String
    }

    /// Further rows are counted but not kept in memory; their devices are asked for again when they come back.
    private static let maximumKnown = 10_000

    let database: any StorageDatabase
    let time: any TimeSource
    private let log: Logger
    /// The rows as of the last look or change, so that regular requests cost nothing.
    private let known = Mutex<Set<Key>>([])

    init(database: any StorageDatabase, time: any TimeSource, log: Logger) {
        self.database = database
        self.time = time
        self.log = log
    }

    /// Records that a log does not have the position read by a device. The first device of a log is logged.
    package func note(_ position: LogPosition, of device: SignedInDevice, in name: ContainerName) async {
        guard let digest = position.digest, position.sequence > .zero else { return }
        let key = Key(device: device.device, container: name.text)
        guard !known.withLock({ $0.contains(key) }) else { return }
        let now = now()
        do {
            let first = try await database.commit(of: device.account) { db -> (container: Int64, end: UInt64)? in
                guard let container = try LogStore.container(name, device.account, db) else { return nil }
                let isFirst = try !db.exists("SELECT 1 FROM ahead WHERE container = ?", [container.id])
                try db.execute(
                    """
                    INSERT INTO ahead (container, device, position, digest, logEnd, noted) VALUES (?, ?, ?, ?, ?, ?)
                    ON CONFLICT DO NOTHING
                    """,
                    [
                        container.id, device.device, Int64(clamping: position.sequence.value), Data(digest.bytes),
                        Int64(clamping: container.sequence), now,
                    ])
                return isFirst ? (container.id, container.sequence) : nil
            }
            known.withLock { if $0.count < Self.maximumKnown { $0.insert(key) } }
            guard let first else { return }
            log.critical(
                """
                A log lacks entries that a device has read: the database went back to an earlier state, or the container was removed and \
                made again. Put the newer database back, or run `ubiquity reset` on the devices that `ubiquity-server device list` shows \
                as ahead of the server
                """,
                metadata: [
                    "account": "\(device.account.value)", "container": "\(first.container)",
                    "device": "\(device.device)",
                    "position": "\(position.sequence)", "end": "\(first.end)",
                ])
        } catch {
            // The device names its position with its next request, too.
            log.warning("could not record that a device is ahead of a log", metadata: ["error": "\(error)"])
        }
    }

    /// Records that a log has the position of a device.
    package func settle(_ position: LogPosition, of device: SignedInDevice, in name: ContainerName) async {
        let key = Key(device: device.device, container: name.text)
        guard position.digest != nil, position.sequence > .zero, known.withLock({ $0.contains(key) }) else { return }
        do {
            try await database.commit(of: device.account) { db in
                try db.execute(
                    """
                    DELETE FROM ahead
                    WHERE device = ? AND container IN (SELECT id FROM container WHERE account = ? AND name = ?)
                    """, [device.device, device.account.value, name.text])
            }
            known.withLock { _ = $0.remove(key) }
        } catch {
            log.warning("could not record that a device is no longer ahead of a log", metadata: ["error": "\(error)"])
        }
    }

    /// Reads the records of remote processes.
    func refresh() async throws {
        let rows = try await database.readOnce { db in
            try db.rows(
                """
                SELECT ahead.device, container.name FROM ahead JOIN container ON container.id = ahead.container
                ORDER BY ahead.noted LIMIT \(Self.maximumKnown)
                """
            ).map { Key(device: try $0[0], container: try $0[1]) }
        }
        known.withLock { $0 = Set(rows) }
    }

    /// Returns the containers whose logs went back, with the number of devices with access ahead of each.
    static func logs(_ db: any StorageTransaction) throws -> [Int64: Int] {
        let rows = try db.rows(
            """
            SELECT ahead.container, COUNT(*) FROM ahead JOIN device ON device.id = ahead.device
            WHERE device.revoked IS NULL GROUP BY ahead.container
            """)
        return try rows.reduce(into: [:]) { logs, row in logs[try row[0]] = try row[1] as Int }
    }
}
