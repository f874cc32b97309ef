import Basics
import DaemonProtocol
import Testing

@testable import Commands

@Suite("ubiquity database")
struct DatabaseCommandTests {
    @Test("declarations of columns belong to the tables that are shared")
    func declarations() throws {
        let command = try DatabaseShare.parse([
            "f", "--name", "n", "--counter", "account.balance", "--set", "Account.tags", "--conflict", "a.b.c",
            "--unify",
            "tag:name,colour",
        ])
        let tables = try command.tables()
        #expect(tables.map(\.name) == ["tag", "account", "a.b"])
        #expect(tables[0].unify == ["name", "colour"])
        #expect(tables[1].counters == ["balance"] && tables[1].sets == ["tags"])
        #expect(tables[2].conflicts == ["c"])
    }

    @Test(
        "options that mean nothing are refused",
        arguments: [
            ["f"], ["f", "--name", "n", "--counter", "balance"], ["f", "--name", "n", "--counter", ".b"],
            ["f", "--name", "n", "--unify", "tag"], ["f", "--name", "n", "--table", "a", "--all"],
            ["f", "--name", "n", "--table", "a", "--counter", "b.c"],
        ])
    func refused(_ arguments: [String]) {
        #expect(throws: (any Error).self) { try DatabaseShare.parse(arguments) }
    }

    @Test(
        "a decision needs a row, a column and one choice",
        arguments: [
            ["--keep", "current"], ["t", "k"], ["t", "--column", "c", "--keep", "current"],
            ["t", "k", "--column", "c", "--keep", "a", "--value", "b"],
        ])
    func decisions(_ arguments: [String]) throws {
        #expect(throws: (any Error).self) { try DatabaseResolve.parse(arguments) }
        _ = try DatabaseResolve.parse([])
        _ = try DatabaseResolve.parse(["t", "k", "l", "--column", "c", "--keep", "current"])
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
