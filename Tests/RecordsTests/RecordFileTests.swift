import Basics
import CloudModel
import CloudStorage
import Records
import TestSupport
import Testing

private typealias Sample = RecordSample

@Suite("Files of transactions")
struct RecordFileTests {
    private static let row = Sample.row(Sample.note, .text("n"), .blob([1]))

    private static let sample = RecordFile(
        store: ItemID(high: 1, low: 2), device: DeviceID(0x0102), deviceName: "desk", number: 300,
        transactions: [
            RecordTransaction(
                base: RecordPosition(version: VersionID(sequence: LogSequence(7), index: 3), file: 2, place: 1),
                time: Timestamp(nanoseconds: -1),
                unions: [RowUnion(row: row, key: Sample.row(Sample.tag, .real(1)).key)],
                rules: [
                    TableRules(
                        table: Sample.note, version: 2, key: [Sample.name("a"), Sample.name("b")],
                        unify: [Sample.name("c")],
                        uniques: [[Sample.name("d")], [Sample.name("c"), Sample.name("d")]],
                        references: [Sample.reference("e", Sample.tag), Sample.reference("d", Sample.tag)])
                ],
                changes: [
                    Sample.insert(
                        row,
                        [
                            "a": .null, "b": .integer(.min), "c": .integer(.max), "d": .real(-.infinity),
                            "e": .text([0, 255]), "f": .blob([]),
                        ]),
                    RecordChange(Sample.row(Sample.note, .integer(1)), .delete),
                    RecordChange(Sample.row(Sample.note, .integer(2)), .resolve([Sample.name("c"), Sample.name("a")])),
                ]),
            RecordTransaction(
                base: .start, time: .zero,
                changes: [
                    Sample.update(
                        row,
                        [
                            "a": .offer(.text("x")), "b": .add(.real(0.5), result: .null),
                            "c": .members(
                                adding: [.text("x"), .integer(1)], removing: [.text("")], result: .text("[]")),
                        ])
                ]),
        ])

    @Test("every kind of change is decoded as it was encoded, and has one encoding")
    func roundTrip() throws {
        let bytes = try Self.sample.encoded()
        #expect(try RecordFile(decoding: bytes) == Self.sample)
        #expect(try RecordFile(decoding: bytes).encoded() == bytes)
    }

    @Test("format 1 of transactions stays readable (fixed bytes)")
    func pinned() throws {
        let file = RecordFile(
            store: ItemID(high: 1, low: 2), device: DeviceID(3), deviceName: "d", number: 1,
            transactions: [
                RecordTransaction(
                    base: .start, time: .zero,
                    changes: [Sample.insert(Sample.row(Sample.tag, .text("t")), ["n": .integer(-1)])])
            ])
        let payload: [UInt8] = [
            1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 1, 0x64, 1, 2, 1, 0x6E, 3, 0x74,
            0x61, 0x67, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 3, 1, 0x74, 1, 1, 0, 1, 1,
        ]
        let bytes = try file.encoded()
        #expect(Array(bytes.prefix(5)) == Array("UbiR".utf8) + [1])
        #expect(Array(bytes.dropFirst(9)) == payload)
        #expect(try RecordFile(decoding: bytes) == file)
    }

    @Test("a file of a newer format stops with a message that says so, whatever follows")
    func newer() throws {
        var bytes = try Self.sample.encoded()
        bytes[4] = 2
        for newer in [bytes, Array(bytes.prefix(5))] {
            let error = #expect(throws: RecordFileError.tooNew(format: 2, known: 1)) {
                try RecordFile(decoding: newer)
            }
            #expect(error?.needsUpdate == true)
            #expect(error?.description.contains("Install a newer version.") == true)
        }
    }

    @Test("a changed byte is found, and so is a missing one")
    func damage() throws {
        let bytes = try Self.sample.encoded()
        for index in bytes.indices where index != 4 {
            var damaged = bytes
            damaged[index] ^= 0x10
            #expect(throws: RecordFileError.self) { try RecordFile(decoding: damaged) }
            #expect(throws: RecordFileError.self) { try RecordFile(decoding: Array(bytes[..<index])) }
        }
    }

    @Test("any bytes with a right checksum lead to a file with exactly these bytes, or to an error")
    func hostile() throws {
        let seed = UInt64.random(in: 0..<1 << 40)
        print("seed \(seed)")
        var random = SeededGenerator(seed: seed)
        let bytes = try Self.sample.encoded()
        for _ in 0..<5_000 {
            var payload = Array(bytes.dropFirst(9))
            for _ in 0..<random.number(1..<4) {
                let index = random.number(0..<payload.count)
                if random.chance(30) { payload.remove(at: index) } else { payload[index] = random.bytes(1)[0] }
            }
            var writer = ByteWriter()
            writer.append(raw: bytes.prefix(5))
            writer.append(fixed: CRC32C.checksum(payload))
            writer.append(raw: payload)
            guard let file = try? RecordFile(decoding: writer.bytes) else { continue }
            #expect(try file.encoded() == writer.bytes)
        }
    }

    @Test("what breaks a rule of the format is not written")
    func invalid() throws {
        let change = Sample.insert(Self.row, [:])
        let transactions: [[RecordChange]] = [
            [change, change], [Sample.update(Self.row, [:])], [RecordChange(Self.row, .resolve([]))],
            [Sample.insert(Self.row, ["a": .real(.nan)])],
            [Sample.update(Self.row, ["a": .add(.text("1"), result: .null)])],
            [Sample.update(Self.row, ["a": .members(adding: [], removing: [], result: .null)])],
        ]
        for changes in transactions {
            var file = Self.sample
            file.transactions = [RecordTransaction(base: .start, time: .zero, changes: changes)]
            #expect(throws: RecordFileError.self) { try file.encoded() }
        }
        var file = Self.sample
        file.transactions = []
        #expect(throws: RecordFileError.self) { try file.encoded() }
        file = Self.sample
        file.number = 0
        #expect(throws: RecordFileError.self) { try file.encoded() }
    }

    @Test("one changed row takes less than 200 bytes")
    func size() throws {
        let id = RecordValue.text("7F3C1D52-6B0E-4E39-9D57-0A3B5C8E1F20")
        var file = Self.sample
        file.transactions = [
            RecordTransaction(
                base: .start, time: .zero,
                changes: [Sample.update(Sample.row(Sample.note, id), ["title": .set(.text("Shopping"))])])
        ]
        #expect(try file.encoded().count < 200)
    }

    @Test("names are compared as SQLite does: without the case of ASCII letters, and byte by byte")
    func names() {
        #expect(RecordName("Straße") == RecordName("sTRAßE"))
        #expect(RecordName("e\u{301}") != RecordName("\u{E9}"))
        #expect(RecordName("") == nil && RecordName(String(repeating: "a", count: 256)) == nil)
        #expect(RecordName(utf8: [0xFF]) == nil)
    }
}
