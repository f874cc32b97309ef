import CloudModel
import ContainerLog
import Testing

@Suite("Rules: names without case")
struct FoldingRuleTests {
    private func set(_ value: [UInt8]?) -> Change {
        .setAttributes(.root, AttributeChanges(extended: [ReservedAttribute.foldsNames: value]))
    }

    private func isDeclared(_ log: TestLog) -> Bool {
        log.tree.item(.root)?.attributes.extended[ReservedAttribute.foldsNames] != nil
    }

    @Test("An empty container can be set to fold names; from then on, names that differ in case clash")
    func on() throws {
        var log = try TestLog()
        try log.append(TestLog.a, set([1]), .file(1, "Report.txt", 10))
        #expect(log.tree.state().foldsNames && isDeclared(log))
        try log.file(2, "REPORT.TXT", 20, by: TestLog.b)
        #expect(log.names() == ["REPORT 2.TXT", "Report.txt"])
        try log.append(TestLog.b, .folder(3, "documents"), .file(4, "x", 40, in: .sample(3)))
        #expect(log.names(in: .documents) == ["x"], "A folder of an equal name becomes one with the folder there")
    }

    @Test("A container with anything in it keeps comparing names as it did, and the attribute says so")
    func notEmpty() throws {
        var log = try TestLog()
        try log.file(1, "a", 10)
        let result = try log.append(TestLog.b, set([1]))
        #expect(!log.tree.state().foldsNames && !isDeclared(log) && result.touched.isEmpty)
        try log.file(2, "A", 20)
        #expect(log.names() == ["A", "a"])

        var folding = try TestLog()
        try folding.append(TestLog.a, set([1]), .file(1, "a", 10, in: .documents))
        try folding.append(TestLog.b, set(nil))
        #expect(folding.tree.state().foldsNames && isDeclared(folding))
    }

    @Test("A container that was emptied can be set again, and its deleted items come back under free names")
    func emptied() throws {
        var log = try TestLog()
        try log.append(TestLog.a, .file(1, "a", 10), .file(2, "A", 20))
        try log.append(TestLog.a, .delete(1, 10), .delete(2, 20), set([1]))
        #expect(log.tree.state().foldsNames)
        try log.edit(1, from: 10, to: 11, at: 9, by: TestLog.b)
        try log.edit(2, from: 20, to: 21, at: 9, by: TestLog.b)
        #expect(log.names() == ["A 2", "a"])
    }

    @Test("An entry switches the comparison of names once at most")
    func once() throws {
        var log = try TestLog()
        try log.append(TestLog.a, set([1]), set(nil), set([2]))
        #expect(log.tree.state().foldsNames)
        #expect(log.tree.item(.root)?.attributes.extended[ReservedAttribute.foldsNames] == [2])
        try log.append(TestLog.a, set(nil))
        #expect(!log.tree.state().foldsNames && !isDeclared(log))
    }

    @Test("An attribute that does not fit switches nothing")
    func tooLong() throws {
        var log = try TestLog()
        let filler = AttributeChanges(extended: ["user.x": [UInt8](repeating: 0, count: 65_530)])
        try log.append(TestLog.a, .setAttributes(.root, filler), set([1]))
        #expect(!log.tree.state().foldsNames && !isDeclared(log))
    }
}
