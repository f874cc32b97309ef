import Testing

@testable import ServerStorage

@Suite("Reads without a transaction", .eachEngine)
struct SingleStatementTests {
    private static let names = "SELECT name FROM account ORDER BY name"

    @Test("a read of one query returns its rows")
    func one() async throws {
        try await withStore { store in
            for name in ["anna", "berta"] { _ = try await store.newAccount(name) }
            let names = try await store.logs.database.readOnce { try $0.values(String.self, Self.names) }
            #expect(names == ["anna", "berta"])
        }
    }

    @Test("a second query, which could see another state, and a change are refused; the connection can be used again")
    func refused() async throws {
        try await withStore { store in
            let database = store.logs.database
            await #expect(throws: StorageError.self) {
                try await database.readOnce { db in
                    _ = try db.values(String.self, Self.names)
                    return try db.values(String.self, Self.names)
                }
            }
            await #expect(throws: StorageError.self) {
                try await database.readOnce { try $0.execute("DELETE FROM account") }
            }
            let names = try await database.readOnce { try $0.values(String.self, Self.names) }
            #expect(names == [])
        }
    }
}
