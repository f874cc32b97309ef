import Basics
import CloudModel
import Records
import TestSupport
import Testing

@Suite("Baselines of the folded log")
struct BaselineTests {
    private static let store = ItemID(high: 1, low: 2)
    private static let name = RecordBaseline.Name(device: DeviceID(1), number: 3)

    private static func position(_ sequence: UInt64) -> RecordPosition {
        RecordPosition(version: VersionID(sequence: LogSequence(sequence), index: 0), file: 1, place: 0)
    }

    private static func device(_ id: UInt64, file: UInt64, base: UInt64 = 0) -> RecordBaseline.Device {
        RecordBaseline.Device(
            device: DeviceID(id), name: "desk \(id)", file: file,
            version: VersionID(sequence: LogSequence(file * 10), index: 0), base: position(base),
            chain: FileChain(digest: Digest(words: (9, 1, 2, 3)), bytes: 1_000))
    }

    private static func head(_ devices: [RecordBaseline.Device], parts: [[UInt8]] = []) -> RecordBaseline {
        RecordBaseline(
            store: store, name: name, end: position(30), devices: devices,
            rules: [TableRules(table: RecordSample.tag, key: [RecordSample.name("id")])],
            parts: parts.map { RecordBaseline.Part(of: $0) })
    }

    /// Rows of each kind: live, united, deleted, aside, with values beside the current value, and lost values.
    private static func records() throws -> DictionaryRecords {
        let id = RecordSample.name("id")
        var sample = try RecordSample([
            TableRules(table: RecordSample.tag, key: [id], unify: [RecordSample.name("name")]),
            TableRules(
                table: RecordSample.note, key: [id], references: [RecordSample.reference("tag", RecordSample.tag)]),
        ])
        let start = sample.end
        let (one, two) = (
            RecordSample.row(RecordSample.tag, .text("1")), RecordSample.row(RecordSample.tag, .text("2"))
        )
        let note = RecordSample.row(RecordSample.note, .integer(7))
        try sample.fold(by: 1, [RecordSample.insert(one, ["name": .text("red"), "size": .real(1.5)])])
        try sample.fold(by: 2, knowing: start, [RecordSample.insert(two, ["name": .text("red"), "size": .null])])
        try sample.fold(by: 1, [RecordSample.insert(note, ["tag": .text("1"), "text": .blob([0, 255])])])
        let known = sample.end
        try sample.fold(by: 1, [RecordSample.update(note, ["text": .offer(.text("a"))])])
        try sample.fold(by: 2, knowing: known, [RecordSample.update(note, ["text": .offer(.text("b"))])])
        let orphan = RecordSample.row(RecordSample.note, .integer(8))
        try sample.fold(by: 2, [RecordSample.insert(orphan, ["tag": .text("9")])])
        let gone = RecordSample.row(RecordSample.note, .integer(9))
        try sample.fold(by: 2, [RecordSample.insert(gone, ["tag": .text("1")])])
        try sample.fold(by: 2, [RecordChange(gone, .delete)])
        return sample.records
    }

    private static func part(_ records: DictionaryRecords) throws -> [UInt8] {
        var part = BaselinePart(store: store, name: name, number: 0)
        for (id, row) in records.rows.sorted(by: { $0.key < $1.key }) { part.append(.row(id, row)) }
        for (id, alias) in records.aliases.sorted(by: { $0.key < $1.key }) { part.append(.alias(id, alias)) }
        for value in records.lost { part.append(.lost(value)) }
        return try part.encoded()
    }

    @Test("rows of each kind, aliases and lost values are the same after they were read from a baseline")
    func parts() throws {
        let records = try Self.records()
        #expect(!records.aliases.isEmpty && !records.lost.isEmpty && !records.asideRows().isEmpty)
        let file = try Self.part(records)
        var head = Self.head([], parts: [file])
        head.rules = Array(records.rules.values).sorted { $0.table < $1.table }
        var taken = DictionaryRecords()
        for rules in head.rules { taken.setRules(rules) }
        try BaselinePart.read(file, of: head, number: 0) { try taken.restore($0) }
        for (id, device) in records.devices { taken.setLastFile(device.lastFile, of: id, name: device.name) }
        #expect(taken == records)
    }

    @Test("a head is the same after it was written and read, and equal heads are equal bytes")
    func heads() throws {
        let head = Self.head([Self.device(2, file: 5), Self.device(1, file: 3)], parts: [[1], [2, 3]])
        let bytes = try head.encoded()
        #expect(try RecordBaseline(decoding: bytes) == head)
        #expect(
            try Self.head([Self.device(1, file: 3), Self.device(2, file: 5)], parts: [[1], [2, 3]]).encoded() == bytes)
        #expect(head.bytes == 3 && head.log == FileChain.Extent(files: 8, bytes: 2_000))
    }

    @Test("a newer format is recognised, and any damaged bit is found")
    func damage() throws {
        let file = try Self.part(Self.records())
        let head = Self.head([Self.device(1, file: 3)], parts: [file])
        var newer = try head.encoded()
        newer[4] += 1
        let error = #expect(throws: RecordFileError.self) { try RecordBaseline(decoding: newer) }
        #expect(error?.needsUpdate == true)
        var newerPart = file
        newerPart[4] += 1
        let partError = #expect(throws: RecordFileError.self) {
            try BaselinePart.read(newerPart, of: Self.head([], parts: [newerPart]), number: 0) { _ in }
        }
        #expect(partError?.needsUpdate == true)
        let bytes = try head.encoded()
        for place in bytes.indices {
            var changed = bytes
            changed[place] ^= 1
            #expect(throws: RecordFileError.self) { try RecordBaseline(decoding: changed) }
        }
        for place in stride(from: 0, to: file.count, by: 7) {
            var changed = file
            changed[place] ^= 1
            #expect(throws: RecordFileError.self) { try BaselinePart.read(changed, of: head, number: 0) { _ in } }
        }
    }

    @Test("random bytes with a right checksum are a part or an error, and never a trap")
    func random() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SeededGenerator(seed: seed)
        let file = try Self.part(Self.records())
        for _ in 0..<2_000 {
            var changed = file
            for _ in 0..<random.number(1..<4) {
                changed[random.number(9..<changed.count)] = UInt8(random.number(0..<256))
            }
            changed = Array(changed[..<5]) + Self.checksum(changed[9...]) + changed[9...]
            var taken = DictionaryRecords()
            do {
                try BaselinePart.read(changed, of: Self.head([], parts: [changed]), number: 0) { try taken.restore($0) }
            } catch is RecordFileError {
                continue
            } catch {
                Issue.record("seed \(seed): \(error)")
            }
        }
    }

    private static func checksum(_ payload: ArraySlice<UInt8>) -> [UInt8] {
        // A single-file chain has the sum of its given bytes.
        let sum = RecordBaseline.Part(of: Array(payload)).checksum
        return (0..<4).map { UInt8(truncatingIfNeeded: sum >> ($0 * 8)) }
    }

    @Test("rows that became each other are refused")
    func cycles() throws {
        let rows = ["1", "2", "3"].map { RecordSample.row(RecordSample.tag, .text($0)) }
        var records = DictionaryRecords()
        try records.restore(.alias(rows[0], RecordAlias(key: rows[1].key, position: .start)))
        try records.restore(.alias(rows[1], RecordAlias(key: rows[2].key, position: .start)))
        #expect(throws: RecordFileError.self) {
            try records.restore(.alias(rows[2], RecordAlias(key: rows[0].key, position: .start)))
        }
    }

    // MARK: When

    @Test(
        "a baseline is due after a thousand files, or transactions of twice its size; others than the author wait longer"
    )
    func due() {
        let policy = BaselinePolicy()
        func isDue(_ files: UInt64, _ bytes: UInt64, last: UInt64 = 0, isAuthor: Bool = true) -> Bool {
            policy.isDue(since: FileChain.Extent(files: files, bytes: bytes), last: last, isAuthor: isAuthor)
        }
        #expect(isDue(1_000, 1) && !isDue(999, 1))
        #expect(isDue(1, 1 << 20) && !isDue(1, 1 << 20 - 1))
        #expect(isDue(1, 20 << 20, last: 10 << 20) && !isDue(1, 19 << 20, last: 10 << 20))
        #expect(!isDue(1_000, 1, isAuthor: false) && isDue(1_500, 1, isAuthor: false))
        #expect(!isDue(1, 1, last: .max) && isDue(.max, .max, last: .max, isAuthor: false))
    }

    @Test("files are removed once all that have written knew the baseline, or after 60 days, by others a week later")
    func removal() {
        let policy = BaselinePolicy()
        let baseline = Self.head([Self.device(1, file: 3)])
        func mayRemove(_ device: UInt64, _ bases: [UInt64], days: Int64) -> Bool {
            let devices = bases.enumerated().map { Self.device(UInt64($0 + 1), file: 3, base: $1) }
            return policy.mayRemove(below: baseline, by: DeviceID(device), devices: devices, days: days)
        }
        #expect(mayRemove(1, [0, 30, 31], days: 0))
        #expect(!mayRemove(1, [0, 30, 29], days: 59) && mayRemove(1, [0, 30, 29], days: 60))
        #expect(!mayRemove(2, [30, 30, 30], days: 66) && mayRemove(2, [0, 0, 0], days: 67))
    }

    @Test("removed files are missed, and one that was written again does not count for them")
    func lacks() {
        func order(_ files: [(UInt64, UInt64)]) -> RecordFileOrder {
            var order = RecordFileOrder()
            for (number, version) in files {
                order.note(number, of: DeviceID(1), version: VersionID(sequence: LogSequence(version), index: 0))
            }
            return order
        }
        let places = [Self.device(1, file: 3).place]
        #expect(!order([(1, 1), (2, 9), (3, 7), (4, 31)]).lacks(places))
        #expect(order([(1, 1), (3, 7), (4, 31)]).lacks(places))
        #expect(order([]).lacks(places))
        #expect(order([(1, 1), (2, 9), (3, 40)]).lacks(places))
        #expect(!RecordFileOrder(folded: places).lacks(places))
    }

    @Test("a chain of files differs if any file up to there differs")
    func chains() {
        func chain(_ files: [[UInt8]]) -> FileChain { files.reduce(into: FileChain()) { $0.append($1) } }
        #expect(chain([[1], [2], [3]]) == chain([[1], [2], [3]]))
        #expect(chain([[1], [2], [3]]) != chain([[1], [4], [3]]))
        #expect(chain([[1], [2]]) != chain([[2], [1]]))
    }
}
