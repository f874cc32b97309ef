import Foundation
import TestSupport
import Testing

@testable import Records

@Suite("Descriptions of tables")
struct SharedSchemaTests {
    private static let schema = SharedSchema(
        version: 3,
        tables: [
            SharedSchema.Table(
                "Account",
                statements: [
                    "CREATE TABLE Account(id TEXT PRIMARY KEY NOT NULL, \"select\" TEXT DEFAULT 'a; SELECT' -- select\n)",
                    "CREATE UNIQUE INDEX i ON Account(\"select\")",
                ], unify: ["select"], counters: ["b", "a"])
        ])

    @Test("a description is read as it was written")
    func roundTrip() throws {
        #expect(try SharedSchema(decoding: Self.schema.encoded()) == Self.schema)
    }

    @Test(
        "a statement that does more than to make a table or an index is refused",
        arguments: [
            "CREATE TABLE a AS SELECT 1", "CREATE TABLE a(x); DROP TABLE b", "DROP TABLE a",
            "CREATE VIEW a AS SELECT 1",
            "CREATE TRIGGER t AFTER INSERT ON a BEGIN SELECT 1; END", "CREATE VIRTUAL TABLE a USING fts5(x)",
            "CREATE TEMP TABLE a(x)", "ATTACH 'x' AS y", "/**/ INSERT INTO a VALUES (1)", "CREATE TABLE a('x)", "",
            "create table a(x /* SELECT */ text) as/**/select 1",
            "CREATE TABLE a(x, z BLOB GENERATED ALWAYS AS (zeroblob(400000000)) STORED)",
            "CREATE TABLE a(x, z BLOB AS (zeroblob(400000000)))",
            "CREATE TABLE a(x CHECK (length(randomblob(900000000)) > 0))",
            "CREATE TABLE a(x CHECK (\"randomblob\"(9) > 0))", "CREATE TABLE a(x CHECK ([randomblob](9) > 0))",
            "CREATE TABLE a(x CHECK (randomblob/**/(9) > 0))", "CREATE TABLE a(x DEFAULT (zeroblob(9)))",
            "CREATE TABLE a(x DEFAULT (1))", "CREATE TABLE a(x CHECK (x LIKE '%a%a%a%a%b'))",
            "CREATE TABLE a(x CHECK (x -> '$' = 1))", "CREATE TABLE a(x CHECK (x || x || x <> ''))",
            "CREATE TABLE a(x COLLATE \"NOCASE\")", "CREATE TABLE a(x COLLATE slow)",
            "CREATE TABLE a(x CHECK ((x)(1)))",
            "CREATE TABLE a(x CHECK (char(1)))", "CREATE TABLE a(x))", "CREATE TABLE a(x",
        ])
    func refused(_ statement: String) { #expect(!SharedSchema.isSafe(statement, isTable: true)) }

    @Test(
        "ordinary tables have types, keys, references, collations, literals and comparisons",
        arguments: [
            "CREATE TABLE \"order\"(id INTEGER PRIMARY KEY AUTOINCREMENT, name VARCHAR(255) NOT NULL COLLATE NOCASE UNIQUE)",
            "CREATE TABLE a(x DECIMAL(10, 2) DEFAULT -1.5, y TEXT DEFAULT CURRENT_TIMESTAMP, z DEFAULT 'text', w DEFAULT NULL)",
            "CREATE TABLE a(x, y REFERENCES b(z) ON DELETE CASCADE, PRIMARY KEY (x, y), UNIQUE (y)) WITHOUT ROWID, STRICT",
            "CREATE TABLE a(x, FOREIGN KEY (x) REFERENCES \"b\" (\"z\") DEFERRABLE INITIALLY DEFERRED)",
            "CREATE TABLE IF NOT EXISTS a(x CHECK (x IN (0, 1) AND (x > 0 OR x IS NOT NULL)), y CHECK (y BETWEEN 1 AND 9))",
            "CREATE TABLE a(x DEFAULT TRUE, y BLOB DEFAULT x'00')",
        ])
    func ordinary(_ statement: String) { #expect(SharedSchema.isSafe(statement, isTable: true)) }

    @Test("an index names columns, their collations and a comparison, and calls nothing")
    func indexes() {
        for good in [
            "CREATE INDEX i ON a(x, y COLLATE NOCASE DESC)",
            "CREATE UNIQUE INDEX \"i\" ON \"a\"(\"x\") WHERE y IS NOT NULL",
        ] { #expect(SharedSchema.isSafe(good, isTable: false), "\(good)") }
        for bad in [
            "CREATE INDEX i ON a(lower(x))", "CREATE INDEX i ON a(x) WHERE length(x) > 1",
            "CREATE INDEX i ON a(zeroblob(9))",
            "CREATE INDEX i ON a(x) WHERE \"length\" (x) > 1",
        ] { #expect(!SharedSchema.isSafe(bad, isTable: false), "\(bad)") }
    }

    @Test("what the words of a statement are does not depend on quotes and comments")
    func words() {
        #expect(
            SQLWords.words(of: "create/*x*/Table [a select] ('it''s', \"q\"\"q\", `b`) --end") == ["CREATE", "TABLE"])
        #expect(SQLWords.words(of: "a 'b") == nil)
        #expect(SQLWords.words(of: "a;") == nil)
    }

    @Test("a newer format, too many tables and a table that is named twice are refused")
    func limits() throws {
        let newer = Data(try Self.schema.encoded()).replacing(
            Data("\"format\" : 1".utf8), with: Data("\"format\" : 2".utf8))
        #expect(throws: SharedSchemaError.tooNew(2)) { try SharedSchema(decoding: Array(newer)) }
        let table = SharedSchema.Table("a", statements: ["CREATE TABLE a(x)"])
        let twice = SharedSchema(version: 1, tables: [table, SharedSchema.Table("A", statements: table.statements)])
        #expect(throws: SharedSchemaError.self) { try SharedSchema(decoding: twice.encoded()) }
        let empty = SharedSchema(version: 1, tables: [SharedSchema.Table("a")])
        #expect(throws: SharedSchemaError.self) { try SharedSchema(decoding: empty.encoded()) }
    }

    @Test("changed bytes are refused, or are a description whose statements are safe")
    func hostile() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SeededGenerator(seed: seed)
        let valid = try Self.schema.encoded()
        for _ in 0..<2_000 {
            var bytes = valid
            for _ in 0..<random.number(1..<4) { bytes[random.number(0..<bytes.count)] = UInt8(random.number(0..<256)) }
            guard let schema = try? SharedSchema(decoding: bytes) else { continue }
            let statements = schema.tables.flatMap {
                [($0.statements[0], true)] + $0.statements.dropFirst().map { ($0, false) }
            }
            #expect(statements.allSatisfy { SharedSchema.isSafe($0.0, isTable: $0.1) }, "seed \(seed)")
        }
    }
}
