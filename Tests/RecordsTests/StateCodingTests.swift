import Basics
import CloudModel
import Records
import TestSupport
import Testing

@Suite("Stored records")
struct StateCodingTests {
    private static func stamp(_ number: UInt64, via: RecordKey? = nil) -> RecordStamp {
        RecordStamp(
            position: RecordPosition(
                version: VersionID(sequence: LogSequence(number), index: .max), file: number, place: 3),
            device: DeviceID(number), time: Timestamp(nanoseconds: -5), via: via)
    }

    private static let key = RecordKey([.text("a"), .blob([0]), .integer(-7), .real(0.5)])

    private static let places: [Record.Place] = [
        .live, .deleted(stamp(9, via: key)), .aside(.orphan(of: RecordSample.row(RecordSample.tag, .text("x")))),
        .aside(
            .clash(
                columns: [RecordSample.label, RecordSample.note],
                with: RecordSample.row(RecordSample.tag, .integer(0)).key)),
    ]

    @Test("a stored row is read as it was, in each place")
    func rows() throws {
        for place in Self.places {
            var row = Record(created: Self.stamp(1), place: place)
            row.columns[RecordSample.label] = RecordColumn(
                value: .text([0, 255]), stamp: Self.stamp(2, via: Self.key),
                beside: [RecordColumn.Alternative(value: .null, stamp: Self.stamp(3))])
            row.columns[RecordSample.note] = RecordColumn(value: .real(.infinity), stamp: Self.stamp(4))
            #expect(try Record(decoding: row.encoded()) == row)
        }
        let key = try #require(Self.key)
        #expect(try RecordKey(decoding: key.encoded()) == key)
        #expect(try RecordPosition(decoding: Self.stamp(5).position.encoded()) == Self.stamp(5).position)
        let rules = TableRules(
            table: RecordSample.note, version: 7, key: [RecordSample.label], unify: [RecordSample.tag],
            uniques: [[RecordSample.tag, RecordSample.note]],
            references: [RecordSample.reference("x", RecordSample.tag)])
        #expect(try TableRules(decoding: rules.encoded()) == rules)
    }

    @Test("a lost value is read as it was, with each reason")
    func lost() throws {
        let row = RecordSample.row(RecordSample.tag, .text("x"))
        for reason in [.replaced, .clash(with: row.key), .orphan(of: row), .united, .deletionRefused]
            as [LostValue.Reason]
        {
            let column = reason == .deletionRefused ? nil : RecordSample.label
            let value = LostValue(
                row: row, column: column, value: .integer(.min), stamp: Self.stamp(1), winner: Self.stamp(2),
                reason: reason)
            #expect(try LostValue(decoding: value.encoded()) == value)
        }
    }

    @Test("random bytes are a row or an error")
    func randomBytes() throws {
        let bytes = Record(
            columns: [RecordSample.label: RecordColumn(value: .integer(1), stamp: Self.stamp(1))],
            created: Self.stamp(1), place: Self.places[3]
        ).encoded()
        for seed in 0..<5_000 as Range<UInt64> {
            var random = SeededGenerator(seed: seed)
            var damaged = random.chance(50) ? bytes : random.bytes(random.number(0..<60))
            for _ in 0..<random.number(1..<4) where !damaged.isEmpty {
                damaged[random.number(0..<damaged.count)] = UInt8(random.number(0..<256))
            }
            do throws(ByteCodingError) {
                let row = try Record(decoding: damaged)
                let again = try Record(decoding: row.encoded())
                #expect(again == row, "seed \(seed)")
            } catch { continue }
        }
    }
}
