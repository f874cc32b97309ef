import Basics
import CloudModel
package import CloudProtocol
import Logging
import Synchronization

/// Which states of a device use its token. They are recorded in the background, each at most once a minute: a request
/// must not wait for it.
package final class SenderStore: NounStore {
    private struct Note {
        let sender: RequestSender
        let account: AccountID
        let address: String
        /// The first and the last request since the last write.
        let first: Int64
        let last: Int64
    }

    private struct Key: Hashable {
        let device: Int64
        let id: DeviceID
    }

    private struct State {
        /// When each sender was last noted, by device; at most ``SenderStore/maximum`` each.
        var noted: [Int64: [DeviceID: Int64]] = [:]
        var pending: [Key: Note] = [:]
        var writer: Task<Void, Never>?
    }

    /// The most senders kept for a device. A client could invent any number.
    package static let maximum = 8
    /// With more devices than this the notes in memory start from scratch, at the cost of a write for each.
    private static let maximumDevices = 10_000
    private static let interval: Int64 = 60

    let database: any StorageDatabase
    let time: any TimeSource
    private let log: Logger
    private let state = Mutex(State())

    init(database: any StorageDatabase, time: any TimeSource, log: Logger) {
        self.database = database
        self.time = time
        self.log = log
    }

    /// Records the sender of a device's request.
    package func note(_ sender: RequestSender, of device: SignedInDevice, from address: String) {
        let now = now()
        state.withLock { state in
            guard Self.isDue(sender.id, at: now, &state.noted[device.device, default: [:]]) else { return }
            if state.noted.count > Self.maximumDevices { state.noted = [:] }
            let key = Key(device: device.device, id: sender.id)
            state.pending[key] = Note(
                sender: sender, account: device.account, address: address, first: state.pending[key]?.first ?? now,
                last: now)
            if state.writer == nil { state.writer = Task { await write() } }
        }
    }

    /// Whether a sender has to be recorded again. A clock that was set back counts as a minute too.
    private static func isDue(_ id: DeviceID, at now: Int64, _ noted: inout [DeviceID: Int64]) -> Bool {
        if let last = noted[id] {
            guard abs(now - last) >= interval else { return false }
        } else if noted.count >= maximum {
            guard let oldest = noted.min(by: { $0.value < $1.value }), abs(now - oldest.value) >= interval else {
                return false
            }
            noted[oldest.key] = nil
        }
        noted[id] = now
        return true
    }

    /// Returns when all notes are recorded, or could not be.
    package func settle() async {
        while let writer = state.withLock({ $0.writer }) { await writer.value }
    }

    private func write() async {
        while let notes = take() {
            do {
                for (key, note) in notes {
                    try await database.commit(of: note.account) { try Self.record(note, key, $0) }
                }
            } catch {
                // Requests succeed on a full disk too, and a later request notes the sender again.
                log.warning("could not record the senders of requests", metadata: ["error": "\(error)"])
            }
        }
    }

    private func take() -> [Key: Note]? {
        state.withLock { state in
            guard !state.pending.isEmpty else {
                state.writer = nil
                return nil
            }
            defer { state.pending = [:] }
            return state.pending
        }
    }

    private static func record(_ note: Note, _ key: Key, _ db: any StorageTransaction) throws {
        guard try db.exists("SELECT 1 FROM device WHERE id = ?", [key.device]) else { return }
        try db.execute(
            """
            INSERT INTO sender (device, id, name, address, firstSeen, lastSeen) VALUES (?, ?, ?, ?, ?, ?)
            ON CONFLICT (device, id) DO UPDATE SET
                name = excluded.name, address = excluded.address, lastSeen = excluded.lastSeen
            """,
            [
                key.device, Int64(bitPattern: key.id.value), ClientLabel.of(note.sender.name),
                String(note.address.prefix(64)), note.first, note.last,
            ])
        try db.execute(
            """
            DELETE FROM sender WHERE device = ?1 AND id NOT IN (
                SELECT id FROM sender WHERE device = ?1 ORDER BY lastSeen DESC, id LIMIT \(maximum))
            """, [key.device])
    }

    /// Returns the senders of an account's devices, or of all, by the numbers of the devices.
    static func all(of account: Int64?, _ db: any StorageTransaction) throws -> [Int64: [DeviceSender]] {
        let rows = try db.rows(
            """
            SELECT sender.* FROM sender JOIN device ON device.id = sender.device
            WHERE ?1 IS NULL OR device.account = ?1 ORDER BY sender.device, sender.firstSeen, sender.id
            """, [account])
        return try rows.reduce(into: [:]) { senders, row in
            senders[try row["device"], default: []].append(
                try DeviceSender(
                    id: DeviceID(UInt64(bitPattern: row["id"])), name: row["name"], address: row["address"],
                    first: Timestamp(seconds: row["firstSeen"]), last: Timestamp(seconds: row["lastSeen"])))
        }
    }
}
