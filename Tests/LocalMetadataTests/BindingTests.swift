import CloudModel
import Foundation
import GRDB
import GRDBSQLite
import TestSupport
import Testing

@testable import LocalMetadata

@Suite("Values of statements")
struct BindingTests {
    private let database: DatabaseQueue

    init() throws { database = try DatabaseQueue() }

    /// Returns the value as SQLite has it, and its type.
    private func stored(_ value: (any ColumnBindable)?) throws -> (type: String, value: DatabaseValue) {
        try database.inDatabase { db in
            try db.perform("CREATE TEMP TABLE IF NOT EXISTS cell (value)")
            try db.perform("DELETE FROM cell")
            try db.perform("INSERT INTO cell VALUES (?)", [value])
            let row = try #require(try Row.fetchOne(db, sql: "SELECT typeof(value), value FROM cell"))
            return (row[0], row[1])
        }
    }

    @Test("nothing is NULL, and no bytes are an empty blob")
    func empty() throws {
        #expect(try stored(nil).type == "null")
        #expect(try stored(ColumnValue.null).type == "null")
        for empty in [Data(), [UInt8](), ColumnValue.bytes([])] as [any ColumnBindable] {
            let cell = try stored(empty)
            #expect(cell.type == "blob" && cell.value == Data().databaseValue)
        }
        let text = try stored("")
        #expect(text.type == "text" && text.value == "".databaseValue)
    }

    /// Returns a text as it is read from a column.
    private func text(_ value: any ColumnBindable) throws -> String? {
        try database.inDatabase { db in
            var text: String?
            try db.forEachRow("SELECT ?", [value]) { columns in
                text = columns.text(0)
                return false
            }
            return text
        }
    }

    @Test("any text is stored whole, with zero characters and characters of any length", arguments: 1...4)
    func texts(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let pieces = ["\0", "a", "é", "日本", "👩‍👩‍👧", "\u{301}", " ", "'"]
        for _ in 0..<100 {
            let text = (0..<random.number(0..<40)).map { _ in random.pick(pieces) ?? "" }.joined()
            for read in try [self.text(text), self.text(ColumnValue.text(text))] {
                #expect(read.map { Array($0.utf8) } == Array(text.utf8), "seed \(seed)")
            }
        }
    }

    @Test("any bytes and numbers are stored as they are", arguments: 1...4)
    func bytes(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<100 {
            let bytes = random.bytes(random.number(1..<300))
            #expect(try stored(bytes).value == Data(bytes).databaseValue, "seed \(seed)")
            #expect(try stored(Data(bytes).dropFirst()).value == Data(bytes.dropFirst()).databaseValue, "seed \(seed)")
            let id = ItemID(high: random.next(), low: random.next())
            #expect(try stored(id).value == id.data.databaseValue, "seed \(seed)")
            let digest = Digest(words: (random.next(), random.next(), random.next(), random.next()))
            #expect(try stored(digest).value == digest.data.databaseValue, "seed \(seed)")
            let number = Int64(bitPattern: random.next())
            #expect(try stored(number).value == number.databaseValue, "seed \(seed)")
        }
        for number in [Int64.min, -1, 0, .max] { #expect(try stored(number).value == number.databaseValue) }
        #expect(try stored(true).value == 1.databaseValue)
    }

    @Test("too few and too many values are an error, and the statement can be used after it")
    func count() throws {
        try database.inDatabase { db in
            for values in [[1], [1, 2, 3]] as [StatementValues] {
                #expect(throws: DatabaseError.self) { try db.optionalNumber("SELECT ? + ?", values) }
            }
            let sum = try db.optionalNumber("SELECT ? + ?", [1, 2])
            #expect(sum == 3)
        }
    }

    @Test("no value remains bound after a statement")
    func cleared() throws {
        try database.inDatabase { db in
            let first = try db.optionalNumber("SELECT typeof(?) = 'null'", [7])
            let statement = try db.cachedStatement(sql: "SELECT typeof(?) = 'null'").sqliteStatement
            let code = sqlite3_step(statement)
            let second = sqlite3_column_int(statement, 0)
            sqlite3_reset(statement)
            #expect(first == 0)
            #expect(code == SQLITE_ROW && second == 1)
        }
    }

    @Test("a blob that is larger than SQLite stores is an error")
    func large() throws {
        let bytes = Data(count: 1_000_000_001)
        #expect(throws: DatabaseError.self) { _ = try stored(bytes) }
    }
}
