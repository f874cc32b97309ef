import Basics
import CloudModel
import Records
import Testing

@Suite("What is sent again after the cloud went back")
struct RestorationTests {
    private static let text = RecordSample.name("text")
    private let id = RecordSample.row(RecordSample.note, .text("k"))

    private func stamp(_ device: UInt64, file: UInt64, _ seconds: Int64) -> RecordStamp {
        RecordStamp(
            position: RecordPosition(
                version: VersionID(sequence: LogSequence(file), index: 0), file: file, place: 0),
            device: DeviceID(device), time: Timestamp(seconds: seconds))
    }

    private func row(_ value: String, _ stamp: RecordStamp, _ place: Record.Place = .live) -> Record {
        Record(
            columns: [Self.text: RecordColumn(value: .text(value), stamp: stamp)], created: stamp, place: place)
    }

    private let restoration = Restoration(known: [DeviceID(1): 5])

    @Test("a row that the log lacks is sent with its values and their times, and an equal one is not")
    func lacking() {
        let kept = row("x", stamp(1, file: 3, 30))
        let step = restoration.step(id, kept: kept, present: nil)
        #expect(step?.isKnown == true && step?.change.kind == .insert)
        #expect(
            step?.change.edits[Self.text]
                == .restored(ColumnEdit.Restored(.text("x"), at: Timestamp(seconds: 30)), beside: []))
        #expect(restoration.step(id, kept: kept, present: row("x", stamp(9, file: 1, 90))) == nil)
    }

    @Test("what the device had folded is known, and what a new device wrote is not")
    func known() {
        let kept = row("new", stamp(1, file: 5, 50))
        #expect(restoration.step(id, kept: kept, present: row("old", stamp(1, file: 2, 99)))?.isKnown == true)
        #expect(restoration.step(id, kept: kept, present: row("other", stamp(9, file: 1, 60)))?.isKnown == false)
    }

    @Test("a deletion is repeated if the device knew the row, or if it is later than the row")
    func deletion() {
        let kept = row("x", stamp(1, file: 3, 30), .deleted(stamp(1, file: 4, 40)))
        #expect(restoration.step(id, kept: kept, present: row("x", stamp(1, file: 3, 99)))?.change.kind == .delete)
        #expect(restoration.step(id, kept: kept, present: row("x", stamp(9, file: 1, 30)))?.change.kind == .delete)
        #expect(restoration.step(id, kept: kept, present: row("y", stamp(9, file: 1, 50))) == nil)
        #expect(restoration.step(id, kept: kept, present: nil) == nil)
        let deleted = row("x", stamp(9, file: 1, 30), .deleted(stamp(9, file: 2, 35)))
        #expect(restoration.step(id, kept: row("x", stamp(1, file: 3, 30)), present: deleted) == nil)
        #expect(restoration.step(id, kept: row("x", stamp(1, file: 3, 36)), present: deleted)?.isKnown == false)
    }

    @Test(
        "two devices may send in either order: the later value counts, the other is listed, and an equal one is no edit"
    )
    func order() throws {
        let (older, newer) = (
            ColumnEdit.Restored(.text("1"), at: Timestamp(seconds: 1)),
            ColumnEdit.Restored(.text("2"), at: Timestamp(seconds: 2))
        )
        for edits in [[older, newer, older], [newer, older, newer]] {
            var records = DictionaryRecords()
            for (place, edit) in edits.enumerated() {
                let change = RecordChange(id, .insert, edits: [Self.text: .restored(edit, beside: [])])
                let transaction = RecordTransaction(base: .start, time: Timestamp(seconds: 9), changes: [change])
                let position = stamp(0, file: UInt64(place + 1), 0).position
                _ = try RecordReducer().fold(
                    transaction, of: DeviceID(UInt64(place + 10)), at: position, into: &records)
            }
            #expect(records.rows[id]?.columns[Self.text]?.value == .text("2"))
            #expect(records.rows[id]?.columns[Self.text]?.stamp.time == Timestamp(seconds: 2))
            #expect(Set(records.lost.map(\.value)) == [.text("1")])
        }
    }

    @Test("values that waited for a decision wait again")
    func beside() throws {
        var records = DictionaryRecords()
        let edit = ColumnEdit.restored(
            ColumnEdit.Restored(.text("c"), at: Timestamp(seconds: 2)),
            beside: [ColumnEdit.Restored(.text("x"), at: Timestamp(seconds: 1))])
        for device in 1...2 as ClosedRange<UInt64> {
            let change = RecordChange(id, .insert, edits: [Self.text: edit])
            let file = RecordFile(
                store: ItemID(high: 1, low: 2), device: DeviceID(device), deviceName: "", number: 1,
                transactions: [RecordTransaction(base: .start, time: Timestamp(seconds: 9), changes: [change])])
            let read = try RecordFile(decoding: file.encoded())
            #expect(read == file)
            _ = try RecordReducer().fold(
                read, at: VersionID(sequence: LogSequence(device), index: 0), into: &records)
        }
        #expect(records.rows[id]?.columns[Self.text]?.beside.map(\.value) == [.text("x")])
    }

    @Test("a log that lacks a folded file went back, unless a baseline stands for the file")
    func proof() {
        let version = VersionID(sequence: LogSequence(7), index: 0)
        let later = VersionID(sequence: LogSequence(8), index: 0)
        let folded = [RecordFileOrder.Place(device: DeviceID(1), number: 3, version: version)]
        #expect(!LogReturn.isProven(folded: folded, present: [DeviceID(1): version], covered: [:]))
        #expect(LogReturn.isProven(folded: folded, present: [DeviceID(1): later], covered: [:]))
        #expect(LogReturn.isProven(folded: folded, present: [:], covered: [DeviceID(1): 2]))
        #expect(!LogReturn.isProven(folded: folded, present: [:], covered: [DeviceID(1): 3]))
    }

    @Test("a file that is missing is named, with the one that waits for it")
    func missing() {
        var order = RecordFileOrder()
        for number in [1, 3, 4] as [UInt64] {
            order.note(number, of: DeviceID(1), version: VersionID(sequence: LogSequence(number), index: 0))
        }
        while order.next != nil { order.advance() }
        #expect(order.missing.map(\.device) == [DeviceID(1)])
        #expect(order.missing.map(\.number) == [2] && order.missing.map(\.later) == [3])
    }
}
