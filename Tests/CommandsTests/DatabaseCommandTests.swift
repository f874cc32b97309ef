import Basics
import DaemonProtocol
import Testing

@testable import Commands

@Suite("ubiquity database")
struct DatabaseCommandTests {
    @Test("declarations of columns belong to the tables that are shared")
    func declarations() throws {
        var tables = TableDeclarations(named: [])
        try tables.unify("tag:name,colour")
        try tables.declare("account.balance", "--counter", \.counters)
        try tables.declare("Account.tags", "--set", \.sets)
        try tables.declare("a.b.c", "--conflict", \.conflicts)
        #expect(tables.all.map(\.name) == ["tag", "account", "a.b"])
        #expect(tables.all[0].unify == ["name", "colour"])
        #expect(tables.all[1].counters == ["balance"] && tables.all[1].sets == ["tags"])
        #expect(tables.all[2].conflicts == ["c"])
    }

    @Test("a declaration without a table or a column, or of a table that is not shared, is refused")
    func refused() {
        for text in ["balance", ".b", "a.", "", "."] {
            var tables = TableDeclarations(named: [])
            #expect(throws: (any Error).self) { try tables.declare(text, "--counter", \.counters) }
        }
        for text in ["tag", ":a", "tag:"] {
            var tables = TableDeclarations(named: [])
            #expect(throws: (any Error).self) { try tables.unify(text) }
        }
        var tables = TableDeclarations(named: ["a"])
        #expect(throws: (any Error).self) { try tables.declare("b.c", "--counter", \.counters) }
        #expect(throws: Never.self) { try tables.declare("A.c", "--counter", \.counters) }
    }

    private var status: DatabaseStatus {
        var status = DatabaseStatus(name: "ledger", container: "CloudDocs", path: "/l", identifier: "8000")
        status.tables = ["account"]
        status.asOf = WireTime(Timestamp(seconds: 0))
        return status
    }

    @Test("the status never says that everything is sent while transactions wait or a problem stands")
    func honest() {
        var status = status
        status.state = .current
        #expect(DatabaseText.lines(status, .plain).contains("  State       everything is sent and received"))
        for state in [DatabaseStatus.State.syncing, .waiting, .stopped] {
            status.state = state
            status.pending = 2
            status.problem = .init(message: "locked", advice: "Wait.", since: WireTime(Timestamp(seconds: 0)))
            let text = DatabaseText.lines(status, .plain).joined(separator: "\n")
            #expect(text.contains("2 transactions still to send") && text.contains("locked, since"))
            #expect(text.contains("Wait.") && !text.contains("everything is sent"))
        }
    }

    @Test("the list has databases that are not attached, and tells two of one name apart")
    func list() throws {
        func other(_ identifier: String) -> AvailableDatabase {
            AvailableDatabase(name: "x", container: "CloudDocs", identifier: identifier, tables: [], path: nil)
        }
        let found = DatabasesResponse(databases: [status], available: [other("8000"), other("1"), other("2")])
        let lines = try #require(DatabaseText.table(found)).lines(.plain)
        #expect(lines.count == 4)
        #expect(lines[2].hasSuffix("(not attached, 1)") && lines[3].hasSuffix("(not attached, 2)"))
        #expect(DatabaseText.table(DatabasesResponse(databases: [], available: [])) == nil)
    }

    @Test("values are shown by their kind, and control characters are not printed")
    func values() {
        #expect(DatabaseText.text(DatabaseValueText(.null, "")) == "NULL")
        #expect(DatabaseText.text(DatabaseValueText(.integer, "7")) == "7")
        #expect(DatabaseText.text(DatabaseValueText(.text, "a\u{1B}[2J", isCut: true)) == "'a?[2J…'")
        #expect(DatabaseText.text(DatabaseValueText(.blob, "00ff")) == "x'00ff'")
    }
}
