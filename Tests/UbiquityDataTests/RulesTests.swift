import GRDB
import TestSupport
import Testing

@testable import UbiquityData

@Suite("The program's own rules")
struct RulesTests {
    private static let tables = [UbiquitousTable("account", conflicts: ["note"])]
    private static let schema =
        "CREATE TABLE IF NOT EXISTS account(id TEXT PRIMARY KEY NOT NULL, name TEXT UNIQUE, note)"

    private let folder: DataFolder
    private let cloud = MemoryCloud()
    private let devices: [UbiquitousDatabase]

    init() throws {
        let folder = try DataFolder()
        self.folder = folder
        devices = try (1...3).map { try folder.open("\($0)", Self.tables, device: $0, Self.schema) }
        try devices[0].execute("INSERT INTO account VALUES ('a', 'cash', 'first')")
        try meet()
    }

    private func publish(_ database: UbiquitousDatabase) throws {
        try database.publish(to: MemoryRecords(cloud: cloud, device: database.device))
        cloud.deliver()
    }

    private func meet() throws {
        for database in devices { try publish(database) }
        for database in devices { try database.importFiles(from: MemoryRecords(cloud: cloud)) }
    }

    /// All values, joined in their order.
    private static let joining = UbiquitousDatabaseRules(conflict: { conflict in
        let values = (conflict.others + [conflict.current]).compactMap { String.fromDatabaseValue($0.value) }
        return Set(values.flatMap { $0.split(separator: "+") }).sorted().joined(separator: "+").databaseValue
    })

    @Test("one device decides by the program's rule, and its decision is that of all")
    func conflict() throws {
        for (number, database) in devices.enumerated() {
            try database.execute("UPDATE account SET note = 'of \(number + 1)'")
        }
        try meet()
        #expect(try devices.map { try $0.apply(Self.joining) } == [0, 0, 1], "the one whose value is current")
        try meet()
        for database in devices {
            #expect(try database.text("SELECT note FROM account") == "of 1+of 2+of 3")
            #expect(try database.conflicts().isEmpty)
            #expect(try database.apply(Self.joining) == 0)
        }
    }

    @Test("a rule that returns nothing leaves the choice to a person, and one that throws changes nothing")
    func undecided() throws {
        struct Failure: Error {}
        for database in devices.prefix(2) { try database.execute("UPDATE account SET note = '\(database.path)'") }
        try meet()
        let before = try devices[1].dump(Self.tables)
        #expect(try devices[1].apply(UbiquitousDatabaseRules(conflict: { _ in nil })) == 0)
        #expect(throws: Failure.self) {
            try devices[1].apply(UbiquitousDatabaseRules(conflict: { _ in throw Failure() }))
        }
        #expect(try devices[1].dump(Self.tables) == before)
        #expect(try devices[1].conflicts().count == 1)
    }

    @Test("the device that made a row that stands aside gives it another value, and the row is on all devices")
    func asideRow() throws {
        for (number, database) in devices.enumerated() {
            try database.execute("INSERT INTO account VALUES ('new \(number + 1)', 'bank', NULL)")
        }
        try meet()
        let rules = UbiquitousDatabaseRules(asideRow: { row, db in
            guard case .valueTaken = row.reason else { return }
            try db.execute(
                sql: "INSERT INTO account VALUES (?, ?, NULL)",
                arguments: [row.key[0], "bank of \(row.origin.deviceName)"])
        })
        #expect(try devices.map { try $0.apply(rules) } == [0, 1, 1])
        #expect(try devices[1].apply(rules) == 0, "what is pending is not done again")
        try meet()
        for database in devices {
            #expect(
                try database.text("SELECT group_concat(name) FROM (SELECT name FROM account ORDER BY name)")
                    == "bank,bank of 2,bank of 3,cash")
            #expect(try database.asideRows().isEmpty)
        }
    }

    @Test("after random conflicts, with rules at random times, all devices agree, and nothing waits")
    func random() throws {
        for seed in 0..<10 as Range<UInt64> {
            var random = SeededGenerator(seed: seed)
            for _ in 0..<30 {
                let database = devices[random.number(0..<3)]
                switch random.number(0..<5) {
                case 0, 1: try database.execute("UPDATE account SET note = '\(random.number(0..<9))' WHERE id = 'a'")
                case 2: try publish(database)
                case 3: try database.importFiles(from: MemoryRecords(cloud: cloud))
                default: _ = try database.apply(Self.joining)
                }
            }
            // Each round decides the round before's remaining conflicts; crossing decisions are decided about, too.
            var rounds = 0
            repeat {
                try meet()
                rounds += 1
                for database in devices { try database.apply(Self.joining) }
                try meet()
            } while try devices.contains { try !$0.conflicts().isEmpty } && rounds < 10
            #expect(rounds < 10, "seed \(seed)")
            let dump = try devices[0].dump(Self.tables)
            for database in devices { #expect(try database.dump(Self.tables) == dump, "seed \(seed)") }
        }
    }
}
