import Basics
import CloudModel
import Foundation
import GRDB
import Records
import Synchronization

@testable import UbiquityData

/// A folder with the databases of several devices, removed with this object.
final class DataFolder: Sendable {
    let path: String

    init() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "data-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        path = folder.path
    }

    deinit {
        // The rest is removed with the home of the test process.
        try? FileManager.default.removeItem(atPath: path)
    }

    func file(_ name: String) -> String { "\(path)/\(name).sqlite" }

    /// The identifier of all databases in tests.
    static let identifier = ItemID(high: 1 << 63 | 1, low: 2).description

    func open(
        _ name: String, _ tables: [UbiquitousTable], device: UInt64 = 1, version: UInt64 = 1, _ schema: String,
        clock: any TimeSource = FixedTime(), policy: BaselinePolicy = BaselinePolicy()
    ) throws -> UbiquitousDatabase {
        try UbiquitousDatabase(
            path: file(name), tables: tables, identifier: Self.identifier, device: DeviceID(device), deviceName: name,
            schemaVersion: version, clock: clock, baselinePolicy: policy
        ) { try $0.write { try $0.execute(sql: schema) } }
    }

    /// Runs statements like a program unaware of the library.
    func foreign(_ name: String, _ statements: String...) throws {
        let queue = try DatabaseQueue(path: file(name))
        try queue.writeWithoutTransaction { db in
            for sql in statements { try db.execute(sql: sql) }
        }
        try queue.close()
    }
}

struct FixedTime: TimeSource {
    func now() -> Timestamp { Timestamp(seconds: 1_760_000_000) }
}

/// A clock advanced only by the test.
final class ManualTime: TimeSource {
    private let current: Mutex<Timestamp>

    init() { current = Mutex(FixedTime().now()) }

    func now() -> Timestamp { current.withLock { $0 } }

    func advance(days: Int) { current.withLock { $0 = $0.adding(.seconds(days * 86_400)) } }
}

/// A clock that advances with each look at it.
final class TickingTime: TimeSource {
    private let current = Mutex(FixedTime().now())

    func now() -> Timestamp {
        current.withLock { time in
            time = time.adding(.milliseconds(1))
            return time
        }
    }
}

/// The rows of shared tables, each with all of its stored columns.
typealias Dump = [RowID: [RecordName: RecordValue]]

extension UbiquitousDatabase {
    func dump(_ tables: [UbiquitousTable]) throws -> Dump {
        try reader.read { db in
            let statements = StatementCache(db)
            var dump: Dump = [:]
            for table in try SchemaReader(statements: statements).tables(tables) {
                let columns = table.columns.map(\.name)
                let sql = "SELECT \(TableSchema.list(table.key + columns)) FROM \(table.name.quoted)"
                try statements.run(sql) { row in
                    guard let key = RecordKey(row.values(0..<table.key.count)) else { return }
                    let values = columns.enumerated().map { ($1, row[table.key.count + $0]) }
                    dump[RowID(table: table.name, key: key)] = Dictionary(values) { first, _ in first }
                }
            }
            return dump
        }
    }

    /// Returns the first row of a query as text, its columns divided by `|`; nil if there is none.
    func text(_ sql: String) throws -> String? {
        try reader.read { db in
            try Row.fetchOne(db, sql: sql).map { row in
                row.databaseValues.map { $0.isNull ? "NULL" : String.fromDatabaseValue($0) ?? "\($0)" }
                    .joined(separator: "|")
            }
        }
    }

    func execute(_ sql: String...) throws { try write { db in for sql in sql { try db.execute(sql: sql) } } }
}

extension RecordTransaction {
    /// Applies the transaction to rows, like its committing device.
    func replay(on dump: inout Dump) {
        for change in changes {
            switch change.kind {
            case .insert: dump[change.row] = change.edits.mapValues(\.result)
            case .update: dump[change.row]?.merge(change.edits.mapValues(\.result)) { $1 }
            case .delete: dump[change.row] = nil
            case .resolve: continue
            }
        }
    }
}
