import CloudModel
import GRDB
import Records
import TestSupport
import Testing

@testable import UbiquityData

/// Random histories of devices with real databases and random schemas; foreign programs write to them, files overtake
/// each other, and devices die at each step.
@Suite("Histories of databases")
struct DatabaseHistoryTests {
    private struct History {
        var random: SeededGenerator
        let schema: RandomSchema
        let folder: DataFolder
        let cloud = MemoryCloud()
        var devices: [UbiquitousDatabase] = []
        /// Each device has a separate clock.
        var clocks: [ManualTime] = []
        var baselines = 0

        init(seed: UInt64) throws {
            random = SeededGenerator(seed: seed)
            schema = RandomSchema(&random)
            folder = try DataFolder()
            for _ in 0..<random.number(2..<4) { try join() }
        }

        /// Baselines of a few hundred bytes in parts of some rows, because histories are short.
        private static var policy: BaselinePolicy {
            var policy = BaselinePolicy()
            (policy.files, policy.minimumBytes, policy.partBytes) = (2, 600, 300)
            return policy
        }

        func open(_ number: Int) throws -> UbiquitousDatabase {
            try folder.open(
                "device \(number)", schema.tables, device: UInt64(number + 1), schema.sql, clock: clocks[number],
                policy: Self.policy)
        }

        mutating func join() throws {
            clocks.append(ManualTime())
            clocks[clocks.count - 1].advance(days: random.number(-1..<2))
            devices.append(try open(devices.count))
        }

        mutating func reopen(_ number: Int) throws {
            try devices[number].close()
            devices[number] = try open(number)
        }

        func records(_ number: Int, known: Int? = nil, death: MemoryRecords.Death? = nil) -> MemoryRecords {
            MemoryRecords(cloud: cloud, device: DeviceID(UInt64(number + 1)), known: known, death: death)
        }

        mutating func step() throws {
            let number = random.number(0..<devices.count)
            switch random.number(0..<16) {
            case 12: clocks[number].advance(days: random.pick([1, 30, 61, 70]) ?? 1)
            case 13: if devices.count < 5 { try join() }
            case 14:
                // It dies while it writes or takes a baseline, or removes the files a baseline covers.
                let death = random.pick([MemoryRecords.Death.beforeBaseline, .afterPart, .removing]) ?? .removing
                // The same as above.
                _ = try? devices[number].publish(to: records(number, death: death))
                try reopen(number)
            case 15:
                // The same.
                _ = try? devices[number].importFiles(from: records(number, death: .readingPart))
                try reopen(number)
            case 0..<5: try schema.act(on: devices[number], in: folder.file("device \(number)"), &random)
            case 5, 6: try devices[number].publish(to: records(number))
            case 7:
                // The device dies before its file is written, after that, or with the file in the database only.
                let death = random.pick([MemoryRecords.Death.beforeWriting, .afterWriting, nil]) ?? nil
                if let death {
                    // The death is under test; without pending transactions it does not happen.
                    _ = try? devices[number].publish(to: records(number, death: death))
                } else {
                    _ = try devices[number].prepareFiles()
                }
                try reopen(number)
            case 8: cloud.deliver(&random)
            case 9:
                // The same, while a file is read.
                _ = try? devices[number].importFiles(from: records(number, death: .reading))
                try reopen(number)
            default:
                let known = random.number(0..<cloud.entries.count + 1)
                if try devices[number].importFiles(from: records(number, known: known)).baseline != nil {
                    baselines += 1
                }
            }
        }

        /// A person decides between values, and restores a lost value.
        mutating func settle() throws {
            let database = devices[random.number(0..<devices.count)]
            do {
                if let conflict = random.pick(try database.conflicts()),
                    let candidate = random.pick([conflict.current] + conflict.others)
                {
                    try database.decide(conflict, for: candidate)
                }
                if let lost = random.pick(try database.lostValues()) { try database.restore(lost) }
            } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
                // A different row has the value.
            } catch UbiquitousDatabaseError.notShown {
                // The row is deleted, or stands aside.
            }
        }

        /// All devices send everything and read the whole log.
        mutating func meet() throws {
            for number in devices.indices { try devices[number].publish(to: records(number)) }
            while !cloud.isQuiet { cloud.deliver(&random) }
            for number in devices.indices {
                if try devices[number].importFiles(from: records(number)).baseline != nil { baselines += 1 }
            }
        }

        /// The reducer's rows, folded in memory, and the number of rows with values awaiting a decision.
        func expected() throws -> (rows: Dump, undecided: Int) {
            var records = DictionaryRecords()
            var order = RecordFileOrder()
            let files = cloud.places
            for (file, version) in files.reversed() { order.note(file.number, of: file.device, version: version) }
            while let place = order.next {
                // Only the first file of a number counts: a device may rewrite a removed file.
                let file = files.first { $0.file.device == place.device && $0.file.number == place.number }?.file
                let bytes = try #require(file?.bytes)
                _ = try RecordReducer().fold(RecordFile(decoding: bytes), at: place.version, into: &records)
                order.advance()
            }
            let schemas = try devices[0].reader.read { db in
                try SchemaReader(statements: StatementCache(db)).tables(schema.tables)
            }
            var dump = Dump()
            for (id, row) in records.rows {
                guard let table = schemas.first(where: { $0.name == id.table }) else { continue }
                dump[id] = table.shown(row, id)
            }
            return (dump, records.rows.values.count { $0.hasAlternatives })
        }
    }

    @Test(
        "databases with random schemas and histories are equal to what the reducer says, also after deaths at each step"
    )
    func equal() throws {
        var baselines = 0
        for seed in 0..<30 as Range<UInt64> {
            var history = try History(seed: seed)
            defer { baselines += history.baselines }
            for _ in 0..<60 { try history.step() }
            try history.meet()
            // Devices decide and restore without knowing of each other, and continue to write.
            for _ in 0..<10 {
                try history.settle()
                try history.step()
            }
            try history.meet()
            try history.join()
            try history.meet()
            let expected = try history.expected()
            for device in history.devices {
                let isEqual = try device.dump(history.schema.tables) == expected.rows
                #expect(isEqual, "seed \(seed)")
                #expect(try device.text("PRAGMA integrity_check") == "ok", "seed \(seed)")
                #expect(try device.text("PRAGMA foreign_key_check") == nil, "seed \(seed)")
                #expect(try device.text("SELECT count(*) FROM _ubq_beside") == "\(expected.undecided)", "seed \(seed)")
                #expect(try device.text("SELECT count(*) FROM _ubq_pending") == "0", "seed \(seed)")
                #expect(try device.text("SELECT count(*) FROM _ubq_refused") == "0", "seed \(seed)")
            }
            for device in history.devices { try device.close() }
        }
        #expect(baselines > 0)
    }
}
