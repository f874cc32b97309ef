import Basics
import CloudModel
import Records
import Testing

private typealias Sample = RecordSample

@Suite("Merging rows")
struct RecordReducerTests {
    private let note = Sample.row(Sample.note, .text("n"))
    private let tag = Sample.row(Sample.tag, .text("t"))
    private let other = Sample.row(Sample.tag, .text("u"))
    private let references = [
        TableRules(table: Sample.tag, key: [Sample.name("id")]),
        TableRules(
            table: Sample.note, key: [Sample.name("id")], references: [Sample.reference("tag", Sample.tag)]),
    ]

    @Test("edits of two columns of a row are both there, and of one column the later in the log counts")
    func columns() throws {
        var log = try RecordSample()
        try log.fold(by: 1, [Sample.insert(note, ["a": .integer(1), "b": .integer(1)])])
        let base = log.end
        try log.fold(by: 1, knowing: base, [Sample.update(note, ["a": .set(.integer(2))])])
        try log.fold(by: 2, knowing: base, [Sample.update(note, ["b": .set(.integer(3)), "a": .set(.integer(4))])])
        #expect(log.value(note, "a") == .integer(4) && log.value(note, "b") == .integer(3))
    }

    @Test("what a later edit replaced without knowing it is kept with its device and its time, until it is forgotten")
    func history() throws {
        var log = try RecordSample()
        try log.fold(by: 1, [Sample.insert(note, ["a": .integer(1)])])
        let base = log.end
        try log.fold(by: 1, [Sample.update(note, ["a": .set(.integer(2))])])
        try log.fold(by: 2, knowing: base, [Sample.update(note, ["a": .set(.integer(3))])])
        let lost = try #require(log.records.lost.first)
        #expect(log.records.lost.count == 1 && lost.row == note && lost.value == .integer(2))
        #expect(lost.stamp.device == DeviceID(1) && lost.stamp.time.split.seconds == 998)
        #expect(lost.winner.device == DeviceID(2) && lost.reason == .replaced)
        #expect(log.records.devices[DeviceID(1)]?.name == "desk 1")
        var records = log.records
        records.forgetLost(through: lost.stamp.position)
        #expect(records.lost.count == 1)
        records.forgetLost(through: lost.winner.position)
        #expect(records.lost.isEmpty)
    }

    @Test("an edit that knew the value replaces it without a trace")
    func known() throws {
        var log = try RecordSample()
        try log.fold(by: 1, [Sample.insert(note, ["a": .integer(1)])])
        try log.fold(by: 2, [Sample.update(note, ["a": .set(.integer(2))])])
        #expect(log.value(note, "a") == .integer(2) && log.records.lost.isEmpty)
    }

    @Test("what devices add to a counter is summed, and beyond 64 bits continues as a real number")
    func counter() throws {
        var log = try RecordSample()
        try log.fold(by: 1, [Sample.insert(note, ["a": .integer(10), "b": .integer(.max)])])
        let base = log.end
        let add = ColumnEdit.add(.integer(5), result: .integer(15))
        try log.fold(by: 1, knowing: base, [Sample.update(note, ["a": add])])
        try log.fold(by: 2, knowing: base, [Sample.update(note, ["a": add, "b": .add(.integer(1), result: .null)])])
        #expect(log.value(note, "a") == .integer(20) && log.value(note, "b") == .real(0x1p63))
        #expect(log.records.lost.isEmpty)
    }

    @Test("a number that is added to a text replaces it, and the text is kept")
    func counterOfText() throws {
        var log = try RecordSample()
        try log.fold(by: 1, [Sample.insert(note, ["a": .text("x")])])
        try log.fold(
            by: 2, knowing: .start, [Sample.update(note, ["a": .add(.integer(1), result: .integer(8))])])
        #expect(log.value(note, "a") == .integer(8) && log.records.lost.map(\.value) == [.text("x")])
    }

    @Test("members that devices add to a set and remove from it are all counted")
    func sets() throws {
        var log = try RecordSample()
        try log.fold(by: 1, [Sample.insert(note, ["a": .text(#"["x","y"]"#)])])
        let base = log.end
        let adds = ColumnEdit.members(adding: [.text("z")], removing: [], result: .null)
        let removes = ColumnEdit.members(adding: [.integer(1)], removing: [.text("x")], result: .null)
        try log.fold(by: 1, knowing: base, [Sample.update(note, ["a": adds])])
        try log.fold(by: 2, knowing: base, [Sample.update(note, ["a": removes])])
        #expect(log.value(note, "a") == .text(#"[1,"y","z"]"#) && log.records.lost.isEmpty)
    }

    @Test(
        "values of a column that is declared a conflict stay beside one another until a device decides that knew them")
    func conflict() throws {
        var log = try RecordSample()
        try log.fold(by: 1, [Sample.insert(note, ["a": .integer(1)])])
        let base = log.end
        try log.fold(by: 1, knowing: base, [Sample.update(note, ["a": .offer(.integer(2))])])
        try log.fold(by: 2, knowing: base, [Sample.update(note, ["a": .offer(.integer(3))])])
        let column = { (log: RecordSample) in log.records.row(note)?.columns[Sample.name("a")] }
        #expect(column(log)?.value == .integer(3) && column(log)?.beside.map(\.value) == [.integer(2)])
        let decision = RecordChange(note, .resolve([Sample.name("a")]))
        try log.fold(by: 3, knowing: base, [decision])
        #expect(column(log)?.beside.count == 1)
        try log.fold(by: 3, [decision])
        #expect(column(log)?.beside.isEmpty == true && column(log)?.value == .integer(3))
    }

    // MARK: Deletions

    @Test("an edit beats a deletion that did not know it, in either order in the log")
    func editBeatsDeletion() throws {
        for deletesFirst in [true, false] {
            var log = try RecordSample()
            try log.fold(by: 1, [Sample.insert(note, ["a": .integer(1), "b": .integer(7)])])
            let base = log.end
            let changes = [RecordChange(note, .delete), Sample.update(note, ["a": .set(.integer(2))])]
            for (device, change) in (deletesFirst ? changes : changes.reversed()).enumerated() {
                try log.fold(by: UInt64(device + 2), knowing: base, [change])
            }
            #expect(log.isLive(note) && log.value(note, "a") == .integer(2) && log.value(note, "b") == .integer(7))
            #expect(log.records.lost.map(\.reason) == [.deletionRefused])
        }
    }

    @Test("a deletion that knew all edits deletes, and the row is there again only when it is inserted")
    func deletion() throws {
        var log = try RecordSample()
        try log.fold(by: 1, [Sample.insert(note, ["a": .integer(1), "b": .integer(7)])])
        try log.fold(by: 2, [RecordChange(note, .delete)])
        #expect(!log.isLive(note) && log.records.lost.isEmpty)
        try log.fold(by: 2, [Sample.insert(note, ["a": .integer(3)])])
        #expect(log.isLive(note) && log.value(note, "a") == .integer(3) && log.value(note, "b") == nil)
    }

    @Test("a parent that was deleted comes back with a child that did not know it, in either order in the log")
    func parents() throws {
        for deletesFirst in [true, false] {
            var log = try RecordSample(references)
            try log.fold(by: 1, [Sample.insert(tag, ["name": .text("red")])])
            let base = log.end
            let changes = [RecordChange(tag, .delete), Sample.insert(note, ["tag": .text("t")])]
            for (device, change) in (deletesFirst ? changes : changes.reversed()).enumerated() {
                try log.fold(by: UInt64(device + 2), knowing: base, [change])
            }
            #expect(log.isLive(tag) && log.isLive(note) && log.value(tag, "name") == .text("red"))
            #expect(log.records.lost.map(\.reason) == [.deletionRefused])
        }
    }

    @Test("a parent and its children that are deleted together are gone")
    func family() throws {
        var log = try RecordSample(references)
        try log.fold(by: 1, [Sample.insert(tag, [:]), Sample.insert(note, ["tag": .text("t")])])
        try log.fold(by: 2, [RecordChange(tag, .delete), RecordChange(note, .delete)])
        #expect(!log.isLive(tag) && !log.isLive(note) && log.records.lost.isEmpty)
    }

    @Test("a row without its parent stands aside, and returns when the parent is there")
    func orphan() throws {
        var log = try RecordSample(references)
        try log.fold(by: 1, [Sample.insert(note, ["tag": .text("t"), "a": .integer(1)])])
        #expect(log.records.row(note)?.place == .aside(.orphan(of: tag)))
        try log.fold(by: 2, knowing: .start, [Sample.insert(tag, [:])])
        #expect(log.isLive(note) && log.value(note, "a") == .integer(1))
    }

    // MARK: Files

    @Test("a file that arrives again has no effect, and one that arrives too early is refused")
    func files() throws {
        let add = Sample.update(note, ["a": .add(.integer(1), result: .integer(1))])
        let transaction = RecordTransaction(base: .start, time: .zero, changes: [add])
        var file = RecordFile(
            store: ItemID(high: 1, low: 2), device: DeviceID(1), deviceName: "desk", number: 1,
            transactions: [transaction, transaction])
        var records = DictionaryRecords()
        let version = VersionID(sequence: LogSequence(1), index: 0)
        for _ in 0..<2 { _ = try RecordReducer().fold(file, at: version, into: &records) }
        #expect(records.row(note)?.columns[Sample.name("a")]?.value == .integer(2))
        file.number = 3
        let before = records
        let error = #expect(throws: RecordOrderError.self) {
            try RecordReducer().fold(file, at: version, into: &records)
        }
        #expect(error?.expected == 2 && error?.found == 3 && records == before)
    }
}
