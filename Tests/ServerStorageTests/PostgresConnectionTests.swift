import Foundation
import Glibc
import ServerSupport
import Testing

@testable import ServerStorage

@Suite("A connection to PostgreSQL", .timeLimit(.minutes(10)))
struct PostgresConnectionTests {
    private func connection(_ bounds: PostgresBounds = PostgresBounds()) throws -> PostgresConnection {
        try PostgresConnection(TestPostgres.shared().makeDatabase(), bounds: bounds)
    }

    @Test(
        "an address shows neither user nor password",
        arguments: [
            "postgres://anna:s%40cret@one:5433,two/cloud?target_session_attrs=any",
            "host=one,two port=5433 user=anna password='s@cret' dbname=cloud", "service=cloud password=s@cret",
        ])
    func description(text: String) throws {
        let address = try PostgresAddress(text)
        #expect(!"\(address)".contains("cret") && !"\(address)".contains("anna"))
        #expect("\(address)".contains("cloud"))
    }

    @Test(
        "an address that cannot be parsed is refused without being quoted",
        arguments: ["", "/tmp/x", "postgres://a:secret@[b/c", "host=a secret"])
    func malformed(text: String) throws {
        #expect { _ = try PostgresAddress(text) } throws: {
            ($0 as? StorageError)?.code == .invalid && !"\($0)".contains("secret")
        }
    }

    @Test("values of all types come back as they were sent")
    func values() throws {
        let connection = try connection()
        let bytes = Data((0...255).map { UInt8($0) })
        let rows = try connection.rows(
            "SELECT $1 AS Number, $2 AS text, $3 AS bytes, $4 AS nothing, $5 = 1 AS truth, $6::int4 AS small",
            [Int64.min, "Grüße\u{1F30D}", bytes, nil as String?, 1, -5])
        let row = try #require(rows.first)
        #expect(try row["Number"] as Int64 == .min)
        #expect(try row["text"] as String == "Grüße\u{1F30D}")
        #expect(try row["bytes"] as Data == bytes)
        #expect(try row["nothing"] as String? == nil)
        #expect(try row["truth"] as Bool)
        #expect(try row["small"] as Int == -5)
    }

    @Test("queries that are sent together have their own rows, behind what was enqueued before")
    func rowsOfEach() throws {
        let connection = try connection()
        try connection.script("CREATE TABLE kept (number BIGINT PRIMARY KEY)")
        for number in 1...3 { try connection.enqueue("INSERT INTO kept VALUES ($1)", [number]) }
        let sql = "SELECT number FROM kept WHERE number >= $1 ORDER BY number"
        let rows = try connection.rowsOfEach([(sql, [2]), (sql, [9]), ("SELECT $1 AS text", ["x"]), (sql, [1])])
        #expect(try rows[0].map { try $0[0] as Int } == [2, 3])
        #expect(rows[1].isEmpty)
        #expect(try rows[2].map { try $0[0] as String } == ["x"])
        #expect(try rows[3].map { try $0[0] as Int } == [1, 2, 3])
        #expect(throws: PostgresError.self) {
            _ = try connection.rowsOfEach([(sql, [1]), ("SELECT 1 / $1", [0]), (sql, [1])])
        }
        #expect(try connection.rowsOfEach([(sql, [3])]).map(\.count) == [1])
    }

    @Test("an error of one statement leaves the connection usable, and skips those that were sent with it")
    func refusal() throws {
        let connection = try connection()
        try connection.script("CREATE TABLE kept (number BIGINT PRIMARY KEY); INSERT INTO kept VALUES (1)")
        try connection.enqueue("INSERT INTO kept VALUES ($1)", [2])
        try connection.enqueue("INSERT INTO kept VALUES ($1)", [1])
        try connection.enqueue("INSERT INTO kept VALUES ($1)", [3])
        #expect { try connection.flush() } throws: { ($0 as? PostgresError)?.concernsOneBody == true }
        let kept = try connection.rows("SELECT number FROM kept").map { try $0[0] as Int }
        #expect(kept == [1])
        #expect(connection.isUsable)
    }

    @Test("a body that wants no more rows gets no more, and the connection stays usable")
    func earlyEnd() throws {
        let connection = try connection()
        var seen = 0
        try connection.run("SELECT generate_series(1, 10000)") { _ in
            seen += 1
            return seen < 3
        }
        #expect(seen == 3)
        #expect(try connection.rows("SELECT 7").first?[0] == 7)
    }

    @Test("a long rest of a result is not read: the connection is given up")
    func longRest() throws {
        let connection = try connection()
        var seen = 0
        try connection.run("SELECT repeat('x', 1000000) FROM generate_series(1, 100000)") { _ in
            seen += 1
            return false
        }
        #expect(seen == 1)
        #expect(!connection.isUsable)
    }

    @Test("statements and results that are larger than any buffer do not block each other")
    func large() throws {
        let connection = try connection()
        let bytes = Data(repeating: 7, count: 12 << 20)
        for _ in 0..<3 { try connection.enqueue("SELECT $1::bytea", [bytes]) }
        let rows = try connection.rows("SELECT $1::bytea", [bytes])
        #expect(try rows.first?[0] == bytes)
    }

    @Test("more different statements than a connection keeps are prepared all the same")
    func manyStatements() throws {
        let connection = try connection()
        for number in 0..<1_200 { #expect(try connection.rows("SELECT \(number)").first?[0] == number) }
    }

    @Test("a commit of a failed transaction is an error")
    func failedCommit() throws {
        let connection = try connection()
        try connection.run("BEGIN")
        #expect(throws: PostgresError.self) { try connection.run("SELECT 1 / 0") }
        #expect(throws: PostgresError.self) { try connection.commit() }
    }

    @Test("a notification reaches a connection that listens")
    func notification() throws {
        let address = try TestPostgres.shared().makeDatabase()
        let (one, other) = (try PostgresConnection(address), try PostgresConnection(address))
        try one.listen(to: "news")
        try other.notify("news", "1 2 3")
        let received = try one.notifications(within: .seconds(30))
        #expect(received == [PostgresNotification(channel: "news", payload: "1 2 3", process: other.process)])
    }

    @Test("a wait for notifications ends when it is woken")
    func woken() throws {
        let connection = try connection()
        let wake = Pipe()
        try wake.fileHandleForWriting.write(contentsOf: [1])
        try connection.listen(to: "news")
        #expect(
            try connection.notifications(within: .seconds(100_000), wake: wake.fileHandleForReading.fileDescriptor)
                .isEmpty)
    }

    @Test("a server that hangs ends a statement, and a new connection, with an error")
    func hung() throws {
        let server = try TestPostgres()
        defer { server.stop() }
        var bounds = PostgresBounds()
        bounds.silence = .milliseconds(300)
        bounds.connect = .seconds(2)
        let connection = try PostgresConnection(server.address(), bounds: bounds)
        try server.suspend()
        #expect { try connection.run("SELECT 1") } throws: {
            if case .lost = ($0 as? PostgresError)?.kind { true } else { false }
        }
        #expect(!connection.isUsable)
        #expect(throws: PostgresError.self) { _ = try PostgresConnection(server.address(), bounds: bounds) }
        try server.resume()
    }

    @Test("a statement after the server was killed reports a lost connection")
    func killed() throws {
        let server = try TestPostgres()
        defer { server.stop() }
        let connection = try PostgresConnection(server.address())
        try connection.run("BEGIN")
        try server.kill()
        #expect { try connection.commit() } throws: {
            if case .unknownOutcome = ($0 as? PostgresError)?.kind { true } else { false }
        }
    }
}
