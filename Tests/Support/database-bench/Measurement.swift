import CloudModel
import Foundation
import UbiquityData

/// A single round.
struct Measurement {
    private static let schema = "CREATE TABLE item(id TEXT PRIMARY KEY NOT NULL, name TEXT, amount INTEGER)"
    private static let tables = [UbiquitousTable("item")]
    /// Single-row transactions, waiting for the disk.
    private static let single = 1_000

    let folder: URL
    let isPlainFirst: Bool
    private let rows: [BenchRow]
    private let more: [BenchRow]

    init(folder: URL, rows: Int, isPlainFirst: Bool) throws {
        (self.folder, self.isPlainFirst) = (folder, isPlainFirst)
        self.rows = Self.rows(rows)
        more = Self.rows(Self.single)
        for name in ["plain", "shared"] {
            let connection = try Connection(path(name))
            try connection.run("PRAGMA journal_mode = WAL")
            try connection.run(Self.schema)
        }
        try open("shared").close()
    }

    private static func rows(_ count: Int) -> [BenchRow] {
        (0..<count).map { number in
            BenchRow(key: UUID().uuidString, name: "the name of row \(number)", amount: Int64(number))
        }
    }

    private func path(_ name: String) -> String { folder.appending(path: "\(name).sqlite").path }

    private func open(_ name: String, identifier: String? = nil) throws -> UbiquitousDatabase {
        try UbiquitousDatabase(path: path(name), tables: Self.tables, identifier: identifier, deviceName: name)
    }

    // MARK: Statements

    func statements() throws -> [String: (plain: Duration, shared: Duration)] {
        let names = ["plain", "shared"]
        var times: [String: [String: Duration]] = [:]
        for name in isPlainFirst ? names : names.reversed() { times[name] = try statements(on: name) }
        var pairs: [String: (plain: Duration, shared: Duration)] = [:]
        for (kind, plain) in times["plain"] ?? [:] {
            if let shared = times["shared"]?[kind] { pairs[kind] = (plain, shared) }
        }
        return pairs
    }

    private func statements(on name: String) throws -> [String: Duration] {
        let insert = "INSERT INTO item VALUES (?1, ?2, ?3)"
        let update = "UPDATE item SET name = ?2 || '.', amount = ?3 + 1 WHERE id = ?1"
        var times: [String: Duration] = [:]
        let connection = try Connection(path(name))
        times["insert, one transaction"] = try time { try transaction(connection, insert, rows) }
        if name == "shared" { try seal(name) }
        times["update, one transaction"] = try time { try transaction(connection, update, rows) }
        if name == "shared" { try seal(name) }
        times["insert, a transaction each"] = try time { try connection.run(insert, for: more) }
        if name == "shared" { try seal(name) }
        times["delete, one transaction"] = try time {
            try transaction(connection, "DELETE FROM item WHERE id = ?1", rows)
        }
        return times
    }

    private func transaction(_ connection: Connection, _ sql: String, _ rows: [BenchRow]) throws {
        try connection.run("BEGIN IMMEDIATE")
        try connection.run(sql, for: rows)
        try connection.run("COMMIT")
    }

    /// Moves captured changes out of the way, like a publishing device.
    private func seal(_ name: String) throws {
        let database = try open(name)
        _ = try database.prepareFiles()
        try database.close()
    }

    private func time(_ body: () throws -> Void) rethrows -> Duration {
        let began = ContinuousClock.now
        try body()
        return .now - began
    }

    // MARK: Publishing and importing

    func importing() throws -> [String: Duration] {
        var times: [String: Duration] = [:]
        for size in [rows.count, 1_000] {
            let names = ["writer \(size)", "reader \(size)"]
            for name in names { try Connection(path(name)).run(Self.schema) }
            let writer = try open(names[0])
            let connection = try Connection(path(names[0]))
            for start in stride(from: 0, to: rows.count, by: size) {
                let part = Array(rows[start..<min(rows.count, start + size)])
                try transaction(connection, "INSERT INTO item VALUES (?1, ?2, ?3)", part)
                // The library does not notice the end of another connection's transaction unless it looks.
                try writer.write { _ in }
            }
            let log = MemoryLog(device: try writer.device)
            let kind = "\(rows.count) rows in transactions of \(size)"
            times["publish \(kind)"] = try time { _ = try writer.publish(to: log) }
            let reader = try open(names[1], identifier: writer.identifier)
            times["import \(kind)"] = try time { _ = try reader.importFiles(from: log) }
            times["import \(kind) on the device that wrote them"] = try time { _ = try writer.importFiles(from: log) }
            try reader.close()
            try writer.close()
        }
        return times
    }
}
