import Logging
import Synchronization

/// Records the times of devices' requests in the background: a reading request must not wait for the disk.
final class ContactNotes: Sendable {
    private struct State {
        /// Seconds since 1970 UTC, by device; not recorded yet.
        var pending: [Int64: Int64] = [:]
        var writer: Task<Void, Never>?
    }

    private let state = Mutex(State())
    private let database: any StorageDatabase
    private let log: Logger

    init(_ database: any StorageDatabase, _ log: Logger) {
        self.database = database
        self.log = log
    }

    func note(_ device: Int64, at now: Int64) {
        state.withLock { state in
            state.pending[device] = now
            if state.writer == nil { state.writer = Task { await write() } }
        }
    }

    /// Returns when all notes are recorded, or could not be.
    func settle() async {
        while let writer = state.withLock({ $0.writer }) { await writer.value }
    }

    private func write() async {
        while let notes = take() {
            do {
                for note in notes {
                    try await database.commit(.statement) { db in
                        try db.execute("UPDATE device SET seen = ? WHERE id = ?", [note.value, note.key])
                    }
                }
            } catch {
                // Requests succeed on a full disk too, and the next request notes the contact again.
                log.warning("could not record the contacts of devices", metadata: ["error": "\(error)"])
            }
        }
    }

    private func take() -> [Int64: Int64]? {
        state.withLock { state in
            guard !state.pending.isEmpty else {
                state.writer = nil
                return nil
            }
            defer { state.pending = [:] }
            return state.pending
        }
    }
}
