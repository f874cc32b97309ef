import Basics
import CloudModel
import Records

/// The single row about the shared database and this device's part in it.
struct StoreState: Hashable, Sendable {
    let store: ItemID
    let device: DeviceID
    /// The layout of the library's tables.
    let layout: Int64
    /// The last log transaction shown in the tables.
    var base: RecordPosition
    /// The number of the device's last file; 0 before its first.
    var files: UInt64
    /// The number of the device's last baseline; 0 before its first.
    var baselines: UInt64 = 0
    /// The number of files in the log when it could not be put into a baseline.
    var unfit: UInt64 = 0

    /// Reads the row; nil if the database is not shared.
    init?(_ statements: StatementCache, path: String) throws {
        let isShared = try statements.first("SELECT 1 FROM sqlite_master WHERE name = '_ubq_state'", [], { _ in true })
        guard isShared == true else { return nil }
        let found = try statements.first("SELECT layout, store, device, base, files FROM _ubq_state") {
            $0.values(0..<5)
        }
        guard let found else { throw UbiquitousDatabaseError.damaged(path: path, what: "its identity is missing") }
        guard case .integer(let layout) = found[0], case .integer(let device) = found[2],
            case .integer(let files) = found[4],
            let store = ItemID(String(decoding: found[1].bytes, as: UTF8.self))
        else { throw UbiquitousDatabaseError.damaged(path: path, what: "its identity cannot be read") }
        guard layout <= StateTables.layout else {
            throw UbiquitousDatabaseError.newerLayout(path: path, found: layout)
        }
        self.store = store
        self.layout = layout
        self.device = DeviceID(UInt64(bitPattern: device))
        base = try RecordPosition(decoding: found[3].bytes)
        self.files = UInt64(bitPattern: files)
        guard layout >= 3 else { return }
        try statements.run("SELECT baselines, unfit FROM _ubq_state") { row in
            (baselines, unfit) = (UInt64(bitPattern: row.integer(0)), UInt64(bitPattern: row.integer(1)))
        }
    }

    init(store: ItemID, device: DeviceID) {
        (self.store, self.device, layout) = (store, device, StateTables.layout)
        (base, files) = (.start, 0)
    }

    /// Writes the row, with the layout of this release.
    func save(_ statements: StatementCache) throws {
        try statements.run(
            "INSERT OR REPLACE INTO _ubq_state VALUES (1, ?, ?, ?, ?, ?, ?, ?)",
            [
                .integer(StateTables.layout), .text(store.description), .bits(device.value), .blob(base.encoded()),
                .bits(files), .bits(baselines), .bits(unfit),
            ])
    }
}
