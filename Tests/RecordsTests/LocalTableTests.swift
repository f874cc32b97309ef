import Records
import Testing

private typealias Sample = RecordSample

@Suite("Rows under a device's own schema")
struct LocalTableTests {
    private let note = Sample.row(Sample.note, .text("n"))
    private let table = LocalTable(
        name: Sample.note, key: [Sample.name("id")], defaults: [Sample.name("a"): .integer(7), Sample.name("b"): .null])

    @Test("a column that no device wrote has this schema's default, and one that the schema lacks waits")
    func schemas() throws {
        var log = try RecordSample()
        try log.fold(by: 1, [Sample.insert(note, ["b": .text("x"), "new": .integer(1)])])
        let row = try #require(log.records.row(note))
        #expect(
            table.values(of: row, note) == [
                Sample.name("id"): .text("n"), Sample.name("a"): .integer(7), Sample.name("b"): .text("x"),
            ])
        #expect(table.waiting(in: row) == [Sample.name("new")])
        try log.fold(by: 2, knowing: .start, [Sample.update(note, ["b": .set(.text("y"))])])
        #expect(log.value(note, "new") == .integer(1))
    }

    @Test("rows that are deleted or aside are not shown, nor those with keys of other columns")
    func hidden() throws {
        var log = try RecordSample()
        try log.fold(by: 1, [Sample.insert(note, [:])])
        try log.fold(by: 1, [RecordChange(note, .delete)])
        let row = try #require(log.records.row(note))
        #expect(table.values(of: row, note) == nil)
        let wide = Sample.row(Sample.note, .text("n"), .text("m"))
        #expect(table.values(of: Record(created: row.created), wide) == nil)
    }
}
