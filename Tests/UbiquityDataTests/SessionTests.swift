import Foundation
import GRDB
import Records
import TestSupport
import Testing

@testable import UbiquityData

/// Capture compared with SQLite's session extension, which notices each row change inside SQLite, even without a
/// trigger run. The tables have no generated columns: sessions do not support them, and triggers do not capture them.
@Suite("Capture compared with SQLite's sessions")
struct SessionTests {
    /// A device, and one of its random histories.
    private struct History {
        let seed: UInt64
        var random: SeededGenerator
        let schema: RandomSchema
        let folder: DataFolder
        let database: UbiquitousDatabase
        let tables: [TableSchema]
        let cloud = MemoryCloud()

        init(seed: UInt64) throws {
            self.seed = seed
            random = SeededGenerator(seed: seed)
            schema = RandomSchema(&random, generated: false)
            folder = try DataFolder()
            // The program had some triggers before it was shared, and adds more later.
            let earlier = schema.triggers(&random, named: "before").map { "\($0);" }.joined(separator: "\n")
            database = try folder.open("desk", schema.tables, "\(schema.sql)\n\(earlier)")
            let declared = schema.tables
            tables = try database.reader.read { try SchemaReader(statements: StatementCache($0)).tables(declared) }
            for trigger in schema.triggers(&random, named: "after") { try folder.foreign("desk", trigger) }
        }

        /// Returns the captured changes since the last call.
        func captured() throws -> [RecordChange] {
            let before = cloud.log.count
            try database.publish(to: MemoryRecords(cloud: cloud))
            cloud.deliver()
            let transactions = try cloud.log[before...].flatMap { try RecordFile(decoding: $0.bytes).transactions }
            #expect(transactions.filter { !$0.changes.isEmpty }.count <= 1, "seed \(seed)")
            return transactions.flatMap(\.changes)
        }

        // MARK: Writers

        /// Returns the session's record of committed changes.
        mutating func act() throws -> [RowID: SessionRecorder.Effect] {
            let effects =
                switch random.number(0..<4) {
                case 0, 1: try actInLibrary()
                case 2: try actInProgram(attached: false)
                default: try actInProgram(attached: true)
                }
            return effects.reduce(into: [:]) { $0[$1.key] = significant($1.value, $1.key.table) }
        }

        /// Returns an effect without columns whose text only writes the same set differently, such as `[]` in place of
        /// NULL.
        private func significant(_ effect: SessionRecorder.Effect, _ table: RecordName) -> SessionRecorder.Effect? {
            guard case .updated(let old, let new) = effect, let table = tables.first(where: { $0.name == table }) else {
                return effect
            }
            let same = table.columns.filter { column in
                guard column.merge == .set, let before = old[column.name].flatMap(SetText.members) else { return false }
                return new[column.name].flatMap(SetText.members) == before
            }
            let names = Set(same.map(\.name))
            let (before, after) = (old.filter { !names.contains($0.key) }, new.filter { !names.contains($0.key) })
            return after.isEmpty ? nil : .updated(from: before, to: after)
        }

        private mutating func actInLibrary() throws -> [RowID: SessionRecorder.Effect] {
            var effects: [RowID: SessionRecorder.Effect] = [:]
            do {
                try database.write { db in
                    let recorder = try SessionRecorder(db, tables)
                    defer { recorder.close() }
                    try run(in: db, "")
                    effects = try recorder.effects()
                }
            } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
                // A deferred constraint, or a trigger, took the transaction back.
                effects = [:]
            }
            return effects
        }

        /// Several transactions of a connection unaware of the library.
        private mutating func actInProgram(attached: Bool) throws -> [RowID: SessionRecorder.Effect] {
            var configuration = Configuration()
            configuration.foreignKeysEnabled = random.chance(80)
            let isRecursive = random.chance(30)
            configuration.prepareDatabase { try $0.execute(sql: "PRAGMA recursive_triggers = \(isRecursive)") }
            let path = folder.file("desk")
            let queue = try DatabaseQueue(path: attached ? ":memory:" : path, configuration: configuration)
            let effects = try queue.writeWithoutTransaction { db in
                if attached {
                    // Tables of the same names in the program's own file must not be taken for the shared file's.
                    try db.execute(sql: "\(schema.sql)\nCREATE TABLE _ubq_now(id, grp, capturing)")
                    try db.execute(sql: "ATTACH ? AS shared", arguments: [path])
                }
                let recorder = try SessionRecorder(db, in: attached ? "shared" : "main", tables)
                defer { recorder.close() }
                for _ in 0..<random.number(1..<4) {
                    try db.execute(sql: "BEGIN IMMEDIATE")
                    let isWhole = (try? run(in: db, attached ? "shared." : "")) != nil
                    let keeps = isWhole && random.chance(80)
                    if keeps, (try? db.execute(sql: "COMMIT")) != nil { continue }
                    if db.isInsideTransaction { try db.execute(sql: "ROLLBACK") }
                }
                return try recorder.effects()
            }
            try queue.close()
            return effects
        }

        /// - Throws: If a statement took the whole transaction back.
        private mutating func run(in db: Database, _ prefix: String) throws {
            for _ in 0..<random.number(1..<6) {
                guard random.chance(25) else {
                    try runStatement(in: db, prefix)
                    continue
                }
                try db.execute(sql: "SAVEPOINT part")
                for _ in 0..<random.number(1..<4) { try runStatement(in: db, prefix) }
                if random.chance(60) { try db.execute(sql: "ROLLBACK TO part") }
                try db.execute(sql: "RELEASE part")
            }
        }

        private mutating func runStatement(in db: Database, _ prefix: String) throws {
            let (sql, values) = schema.statement(&random, in: prefix)
            // A statement that breaks a constraint is a part of the history.
            try? StatementCache(db).run(sql, values)
            guard db.isInsideTransaction else { throw DatabaseError(resultCode: .SQLITE_CONSTRAINT) }
        }
    }

    @Test("random statements, triggers and savepoints of any connection are captured as SQLite's session records them")
    func random() throws {
        let count = ProcessInfo.processInfo.environment["SESSION_HISTORIES"].flatMap { UInt64($0) } ?? 40
        var compared = 0
        for seed in 0..<count {
            var history = try History(seed: seed)
            for step in 0..<8 {
                let expected = try history.act()
                let captured = try history.captured()
                compared += captured.count
                let found = Dictionary(captured.map { ($0.row, Self.summary($0)) }) { first, _ in first }
                #expect(found.count == captured.count, "a row twice: seed \(seed), step \(step)")
                guard found == expected.mapValues(Self.summary) else {
                    Issue.record("seed \(seed), step \(step): captured \(found), expected \(expected)")
                    break
                }
                for change in captured { Self.expectDifferences(change, expected[change.row], seed) }
            }
            try history.database.close()
        }
        #expect(compared > Int(count), "the histories change nothing")
    }

    /// Both sides' statements about a row.
    private struct Summary: Hashable {
        let kind: RecordChange.Kind
        let values: SessionRecorder.Columns
    }

    private static func summary(_ change: RecordChange) -> Summary {
        Summary(kind: change.kind, values: change.edits.mapValues(\.result))
    }

    private static func summary(_ effect: SessionRecorder.Effect) -> Summary {
        switch effect {
        case .inserted(let values): Summary(kind: .insert, values: values)
        case .updated(_, let values): Summary(kind: .update, values: values)
        case .deleted: Summary(kind: .delete, values: [:])
        }
    }

    /// Additions to a counter, or to a set, lead from the session's first value to the last.
    private static func expectDifferences(_ change: RecordChange, _ effect: SessionRecorder.Effect?, _ seed: UInt64) {
        guard case .updated(let old, _)? = effect else { return }
        for (column, edit) in change.edits {
            switch edit {
            case .add(.integer(let difference), result: .integer(let result)):
                #expect(old[column] == .integer(result &- difference), "seed \(seed)")
            case .members(let adding, let removing, let result):
                let (before, after) = (old[column].flatMap(SetText.members), SetText.members(of: result))
                #expect(before?.subtracting(removing).union(adding) == after, "seed \(seed)")
            case .add, .set, .offer, .restored: continue
            }
        }
    }
}
