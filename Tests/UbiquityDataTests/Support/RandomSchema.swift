import GRDB
import Records
import TestSupport

@testable import UbiquityData

/// Tables with random keys, types and constraints, and random statements on them.
struct RandomSchema {
    private struct Column {
        let name: String
        let type: String
        var constraint = ""
        var isUnique = false
        var merge = TableSchema.Merge.replace
    }

    private struct Table {
        let name: String
        let key: [Column]
        let columns: [Column]
        /// The target table of the column `parent`.
        let parent: String?
        let end: String

        var all: [Column] { key + columns }
        var quoted: String { CaptureTriggers.quoted(name) }
        /// The columns settable by statements.
        var settable: [Column] { all.filter { !$0.constraint.hasPrefix("AS") } }

        var sql: String {
            let columns = all.map { "\($0.name) \($0.type) \($0.constraint)" }
            let key = "PRIMARY KEY (\(key.map(\.name).joined(separator: ", ")))"
            return "CREATE TABLE IF NOT EXISTS \(quoted)(\((columns + [key]).joined(separator: ", ")))\(end);"
        }

        var declared: UbiquitousTable {
            func names(_ merge: TableSchema.Merge) -> Set<String> {
                Set(columns.filter { $0.merge == merge }.map(\.name))
            }
            return UbiquitousTable(name, counters: names(.counter), sets: names(.set), conflicts: names(.conflict))
        }
    }

    private let parts: [Table]

    var tables: [UbiquitousTable] { parts.map(\.declared) }
    var sql: String { parts.map(\.sql).joined(separator: "\n") }

    /// - Parameter generated: Whether tables may have generated columns.
    init(_ random: inout SeededGenerator, generated: Bool = true) {
        var parts: [Table] = []
        for number in 0..<random.number(1..<4) {
            let name = "table \(number)"
            let key = (0..<random.number(1..<3)).map { place in
                // Text keys, so that others can refer to them.
                Column(
                    name: "k\(place)", type: random.pick(["TEXT", "TEXT", ""]) ?? "",
                    constraint: random.chance(70) ? "NOT NULL" : "")
            }
            var columns: [Column] = []
            for place in 0..<random.number(1..<5) {
                let type = random.pick(["", "TEXT", "INTEGER", "REAL", "NUMERIC", "BLOB"]) ?? ""
                var column = Column(name: "c\(place)", type: type)
                if random.chance(25) {
                    (column.constraint, column.isUnique) = ("UNIQUE", true)
                } else {
                    column.merge = random.pick([.replace, .replace, .counter, .set, .conflict]) ?? .replace
                    if random.chance(20) { column.constraint = "NOT NULL DEFAULT 7" }
                }
                columns.append(column)
            }
            if random.chance(30), generated {
                columns.append(
                    Column(name: "g", type: "", constraint: "AS (k0 || 'x') \(random.chance(50) ? "STORED" : "")"))
            }
            let parent = random.pick(parts.filter { $0.key.count == 1 })
            if let parent {
                let action = random.pick(["CASCADE", "SET NULL", "NO ACTION DEFERRABLE INITIALLY DEFERRED"]) ?? ""
                columns.append(
                    Column(
                        name: "parent", type: parent.key[0].type,
                        constraint: "REFERENCES \(parent.quoted) ON UPDATE CASCADE ON DELETE \(action)"))
            }
            parts.append(
                Table(
                    name: name, key: key, columns: columns, parent: parent?.name,
                    end: random.chance(40) ? " WITHOUT ROWID" : ""))
        }
        self.parts = parts
    }

    // MARK: Statements

    /// Runs some statements in a transaction of the library, or of a connection unaware of it.
    func act(on database: UbiquitousDatabase, in file: String, _ random: inout SeededGenerator) throws {
        let statements = (0..<random.number(1..<5)).map { _ in statement(&random) }
        if random.chance(60) {
            // A statement that breaks a constraint is a part of the history.
            try? database.write { db in for (sql, values) in statements { try StatementCache(db).run(sql, values) } }
            return
        }
        var configuration = Configuration()
        configuration.foreignKeysEnabled = true
        let recursive = random.chance(30)
        configuration.prepareDatabase { try $0.execute(sql: "PRAGMA recursive_triggers = \(recursive)") }
        let queue = try DatabaseQueue(path: file, configuration: configuration)
        // The same.
        try? queue.write { db in for (sql, values) in statements { try StatementCache(db).run(sql, values) } }
        try queue.close()
    }

    /// - Parameter schema: The name under which a connection has attached the file, with a period; empty for its main
    ///   database.
    func statement(_ random: inout SeededGenerator, in schema: String = "") -> (String, [RecordValue]) {
        let table = parts[random.number(0..<parts.count)]
        let clause = random.pick(["", "OR REPLACE", "OR REPLACE", "OR IGNORE", "OR FAIL"]) ?? ""
        let columns = table.settable
        let quoted = schema + table.quoted
        let names = columns.map(\.name).joined(separator: ", ")
        let marks = columns.map { _ in "?" }.joined(separator: ", ")
        let values = columns.map { value(of: $0, table, &random) }
        switch random.number(0..<10) {
        case 0..<4: return ("INSERT \(clause) INTO \(quoted)(\(names)) VALUES (\(marks))", values)
        case 4:
            let column = random.pick(table.columns.filter { !$0.constraint.hasPrefix("AS") }) ?? table.key[0]
            let target = table.key.map(\.name).joined(separator: ", ")
            let sql =
                "INSERT INTO \(quoted)(\(names)) VALUES (\(marks)) ON CONFLICT (\(target)) DO UPDATE SET "
                + "\(column.name) = excluded.\(column.name)"
            return (sql, values)
        case 5..<8:
            guard let column = random.pick(columns) else { return ("SELECT 1", []) }
            let filter = random.pick(columns) ?? column
            let comparison = random.pick(["=", "<>", "IS NOT"]) ?? "="
            return (
                "UPDATE \(clause) \(quoted) SET \(column.name) = ? WHERE \(filter.name) \(comparison) ?",
                [value(of: column, table, &random), value(of: filter, table, &random)]
            )
        default:
            let filter = random.pick(columns) ?? table.key[0]
            return ("DELETE FROM \(quoted) WHERE \(filter.name) = ?", [value(of: filter, table, &random)])
        }
    }

    /// Returns triggers as programs have them, including triggers that write to their own row.
    func triggers(_ random: inout SeededGenerator, named name: String) -> [String] {
        (0..<random.number(0..<4)).map { number in
            let (table, other) = (parts[random.number(0..<parts.count)], parts[random.number(0..<parts.count)])
            let event = random.pick(["INSERT", "UPDATE", "DELETE"]) ?? "UPDATE"
            let row = event == "DELETE" ? "OLD" : "NEW"
            let (column, there) = (
                random.pick(table.settable) ?? table.key[0], random.pick(other.settable) ?? other.key[0]
            )
            let same = table.key.map { "\($0.name) = \(row).\($0.name)" }.joined(separator: " AND ")
            let keys = other.key.map(\.name).joined(separator: ", ")
            let values = other.key.indices.map { $0 == 0 ? "\(row).k0" : "'b'" }.joined(separator: ", ")
            let refusal = random.pick(["IGNORE", "ABORT, 'x'", "FAIL, 'x'", "ROLLBACK, 'x'"]) ?? "IGNORE"
            var (time, body) = ("AFTER", "")
            switch random.number(0..<6) {
            case 0, 1: body = "UPDATE \(table.quoted) SET \(column.name) = \(row).k0 || 'z' WHERE \(same)"
            case 2: body = "UPDATE \(other.quoted) SET \(there.name) = \(row).k0 WHERE k0 <> \(row).k0"
            case 3: body = "DELETE FROM \(other.quoted) WHERE k0 = 'b' AND \(row).k0 = 'a'"
            case 4: body = "INSERT OR IGNORE INTO \(other.quoted)(\(keys)) VALUES (\(values))"
            default: (time, body) = ("BEFORE", "SELECT RAISE(\(refusal)) WHERE \(row).k0 = 'c'")
            }
            return "CREATE TRIGGER \(name)\(number) \(time) \(event) ON \(table.quoted) BEGIN \(body); END"
        }
    }

    private func value(of column: Column, _ table: Table, _ random: inout SeededGenerator) -> RecordValue {
        let isKey = table.key.contains { $0.name == column.name } || column.name == "parent"
        // Few keys and few unique values, so that they meet often.
        if isKey || column.isUnique {
            if !isKey, random.chance(20) { return .null }
            return .text(random.pick(["a", "b", "c", "d", "\u{0}é"]) ?? "a")
        }
        switch column.merge {
        case .counter: return .integer(Int64(random.number(-9..<9)))
        case .set:
            // A single text per set, in the order of its members: writing the same members differently is no change.
            return .text(random.pick(["[1,2]", #"["x"]"#, #"[1,"x"]"#, "[]"]) ?? "[]")
        case .replace, .conflict:
            let values: [RecordValue] = [
                .null, .integer(.max), .integer(-1), .real(0.5), .real(.infinity), .text("12"), .text([0xff, 0, 97]),
                .blob([]), .blob([0, 255]), .text([UInt8]()), .real(-0.0), .integer(Int64(random.number(0..<99))),
            ]
            return random.pick(values) ?? .null
        }
    }
}
