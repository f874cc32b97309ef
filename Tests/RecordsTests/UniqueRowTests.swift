import CloudModel
import Records
import Testing

private typealias Sample = RecordSample

@Suite("Rows that claim the same values")
struct UniqueRowTests {
    private let one = Sample.row(Sample.tag, .text("1"))
    private let two = Sample.row(Sample.tag, .text("2"))
    private let note = Sample.row(Sample.note, .text("n"))
    private let unique = TableRules(
        table: Sample.tag, key: [Sample.name("id")], uniques: [[Sample.name("name")]])
    private let natural = TableRules(table: Sample.tag, key: [Sample.name("id")], unify: [Sample.name("name")])
    private let notes = TableRules(
        table: Sample.note, key: [Sample.name("id")], references: [Sample.reference("tag", Sample.tag)])
    /// Its key consists of its two parents.
    private let labels = TableRules(
        table: Sample.label, key: [Sample.name("note"), Sample.name("tag")],
        references: [Sample.reference("note", Sample.note), Sample.reference("tag", Sample.tag)])

    @Test("a new row with a unique value that another has stands aside with its children, and is reported")
    func clash() throws {
        var log = try RecordSample([unique, notes])
        let base = log.end
        try log.fold(by: 1, knowing: base, [Sample.insert(one, ["name": .text("red")])])
        try log.fold(
            by: 2, knowing: base,
            [Sample.insert(two, ["name": .text("red")]), Sample.insert(note, ["tag": .text("2")])])
        #expect(log.isLive(one) && log.records.asideRows() == [note, two])
        #expect(log.records.row(two)?.place == .aside(.clash(columns: [Sample.name("name")], with: one.key)))
        #expect(log.records.row(note)?.place == .aside(.orphan(of: two)))
    }

    @Test("rows that stand aside return by themselves when the value is free")
    func release() throws {
        var log = try RecordSample([unique, notes])
        let base = log.end
        try log.fold(by: 1, knowing: base, [Sample.insert(one, ["name": .text("red")])])
        try log.fold(
            by: 2, knowing: base,
            [Sample.insert(two, ["name": .text("red")]), Sample.insert(note, ["tag": .text("2")])])
        let touched = try log.fold(by: 1, [Sample.update(one, ["name": .set(.text("blue"))])])
        #expect(log.records.asideRows().isEmpty && log.isLive(two) && log.isLive(note))
        #expect(touched == [one, two, note])
    }

    @Test("a row that takes a unique value of another keeps its former value, and the attempt is kept")
    func takenValue() throws {
        var log = try RecordSample([unique])
        try log.fold(by: 1, [Sample.insert(one, ["name": .text("red")]), Sample.insert(two, ["name": .text("blue")])])
        let base = log.end
        try log.fold(by: 1, knowing: base, [Sample.update(one, ["name": .set(.text("green"))])])
        try log.fold(
            by: 2, knowing: base, [Sample.update(two, ["name": .set(.text("green")), "a": .set(.integer(1))])])
        #expect(log.value(one, "name") == .text("green") && log.value(two, "name") == .text("blue"))
        #expect(log.value(two, "a") == .integer(1))
        #expect(log.records.lost.map(\.value) == [.text("green")])
        #expect(log.records.lost.map(\.reason) == [.clash(with: one.key)])
    }

    @Test("rows that exchange their unique values in one transaction do not clash")
    func exchange() throws {
        var log = try RecordSample([unique])
        try log.fold(by: 1, [Sample.insert(one, ["name": .text("red")]), Sample.insert(two, ["name": .text("blue")])])
        try log.fold(
            by: 2,
            [
                Sample.update(one, ["name": .set(.text("blue"))]), Sample.update(two, ["name": .set(.text("red"))]),
            ])
        #expect(log.value(one, "name") == .text("blue") && log.value(two, "name") == .text("red"))
        #expect(log.records.lost.isEmpty)
    }

    @Test("NULL is no unique value")
    func null() throws {
        var log = try RecordSample([unique])
        try log.fold(by: 1, [Sample.insert(one, ["name": .null]), Sample.insert(two, [:])])
        #expect(log.isLive(one) && log.isLive(two))
    }

    @Test("rules that come later are applied to the rows that are there, and older rules do not replace newer ones")
    func laterRules() throws {
        var log = try RecordSample()
        try log.fold(by: 1, [Sample.insert(one, ["name": .text("red")])])
        try log.fold(by: 1, [Sample.insert(two, ["name": .text("red")])])
        var second = unique
        second.version = 2
        try log.fold(by: 1, rules: [second], [])
        #expect(log.isLive(one) && log.records.asideRows() == [two])
        try log.fold(by: 2, rules: [TableRules(table: Sample.tag, key: [Sample.name("id")])], [])
        #expect(log.records.rules(of: Sample.tag) == second)
        var third = TableRules(table: Sample.tag, version: 3, key: [Sample.name("id")])
        third.unify = [Sample.name("name")]
        try log.fold(by: 2, rules: [third], [])
        #expect(log.records.row(two) == nil && log.records.alias(of: two)?.key == one.key)
    }

    // MARK: Natural keys

    @Test("rows with one natural key become one: the older stays, the later values count, and the children follow")
    func unite() throws {
        var log = try RecordSample([natural, notes])
        let base = log.end
        try log.fold(by: 1, knowing: base, [Sample.insert(one, ["name": .text("red"), "a": .integer(1)])])
        try log.fold(
            by: 2, knowing: base,
            [
                Sample.insert(two, ["name": .text("red"), "a": .integer(2), "b": .integer(3)]),
                Sample.insert(note, ["tag": .text("2")]),
            ])
        #expect(log.isLive(one) && log.records.row(two) == nil && log.records.alias(of: two)?.key == one.key)
        #expect(log.value(one, "a") == .integer(2) && log.value(one, "b") == .integer(3))
        #expect(log.value(note, "tag") == .text("1"))
        #expect(log.records.lost.contains { $0.value == .integer(1) && $0.reason == .united })
    }

    @Test("a child whose key contains its parent's gets another key, and becomes one with the row that has it")
    func compoundKeys() throws {
        var log = try RecordSample([natural, TableRules(table: Sample.note, key: [Sample.name("id")]), labels])
        let first = Sample.row(Sample.label, .text("n"), .text("1"))
        let second = Sample.row(Sample.label, .text("n"), .text("2"))
        try log.fold(by: 1, [Sample.insert(note, [:])])
        let base = log.end
        try log.fold(
            by: 1, knowing: base,
            [Sample.insert(one, ["name": .text("red")]), Sample.insert(first, ["a": .integer(1)])])
        try log.fold(
            by: 2, knowing: base,
            [Sample.insert(two, ["name": .text("red")]), Sample.insert(second, ["a": .integer(2)])]
        )
        #expect(log.isLive(first) && log.value(first, "a") == .integer(2) && log.records.row(second) == nil)
        try log.fold(by: 2, knowing: base, [Sample.update(second, ["a": .set(.integer(3))])])
        #expect(log.value(first, "a") == .integer(3))
    }

    @Test("changes of a device that still knows two rows reach the one, and what it did not know is kept")
    func lateChanges() throws {
        var log = try RecordSample([natural])
        let base = log.end
        try log.fold(by: 1, knowing: base, [Sample.insert(one, ["name": .text("red"), "a": .integer(1)])])
        try log.fold(by: 2, knowing: base, [Sample.insert(two, ["name": .text("red")])])
        try log.fold(by: 1, [Sample.update(one, ["a": .set(.integer(5))])])
        try log.fold(by: 2, knowing: base, [Sample.update(two, ["a": .set(.integer(6))])])
        #expect(log.value(one, "a") == .integer(6) && log.records.lost.contains { $0.value == .integer(5) })
        try log.fold(by: 2, knowing: base, [RecordChange(two, .delete)])
        #expect(log.isLive(one))
    }

    @Test("a change of a row that was another on its device reaches that one if the log has them apart")
    func unions() throws {
        var log = try RecordSample([natural])
        try log.fold(by: 1, [Sample.insert(one, ["name": .text("red")])])
        let base = log.end
        try log.fold(by: 1, [RecordChange(one, .delete)])
        // Device 2 had not applied the deletion: there the new row became the old row.
        try log.fold(by: 2, knowing: base, [Sample.insert(two, ["name": .text("red")])])
        let union = RowUnion(row: two, key: one.key)
        try log.fold(by: 2, knowing: base, unions: [union], [Sample.update(one, ["a": .set(.integer(1))])])
        #expect(!log.isLive(one) && log.value(two, "a") == .integer(1))
        try log.fold(by: 2, knowing: base, unions: [union], [RecordChange(one, .delete)])
        #expect(!log.isLive(two))
    }

    @Test("references that contradict each other end with the row aside")
    func contradiction() throws {
        let rules = [
            natural, TableRules(table: Sample.label, key: [Sample.name("id")], unify: [Sample.name("name")]),
            TableRules(
                table: Sample.note, key: [Sample.name("id")],
                references: [Sample.reference("x", Sample.label), Sample.reference("x", Sample.tag)]),
        ]
        var log = try RecordSample(rules)
        let (first, second) = (
            Sample.row(Sample.label, .text("2")), Sample.row(Sample.label, .text("1"))
        )
        try log.fold(by: 1, [Sample.insert(one, ["name": .text("a")]), Sample.insert(first, ["name": .text("a")])])
        try log.fold(by: 1, [Sample.insert(two, ["name": .text("a")]), Sample.insert(second, ["name": .text("a")])])
        try log.fold(by: 1, [Sample.insert(note, ["x": .text("1")])])
        #expect(log.records.row(note)?.isAside == true)
    }
}
