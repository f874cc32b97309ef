import CloudModel
import GRDB
import ServerStorage
import ServerSupport
import Testing

@Suite("What counts against an account's quota", .eachEngine)
struct StorageCostTests {
    @Test(
        "for a database of an earlier release the disk usage of chunks and entries is counted again, account by account",
        .sqliteFileOnly
    )
    func recount() async throws {
        try await withFolder { path in
            var expected: [UInt64] = []
            try await withStore(at: path) { store in
                for (name, count) in [("anna", 3), ("berta", 1), ("carl", 0)] {
                    let account = try await store.newAccount(name)
                    for number in 0..<count {
                        try await store.chunks.put(
                            [part(UInt64(number + 1), [UInt8](repeating: 1, count: 5_000 * number + 1))],
                            in: .cloudDocs, of: account)
                        _ = try await store.logs.append([1, 2, 3], key: nil, to: .cloudDocs, of: account)
                    }
                }
                expected = try await store.accounts.list().map(\.used)
            }
            #expect(expected[0] > expected[1] && expected[1] > 0 && expected[2] == 0)
            // Earlier releases counted only the bytes of frames and entries.
            try await DatabaseQueue(path: "\(path)/server.sqlite").write { db in
                try db.execute(sql: "UPDATE account SET used = 7")
                try db.execute(sql: "DELETE FROM grdb_migrations WHERE identifier = 'costs'")
            }
            try await withStore(at: path) { store in
                let counted = try await store.accounts.list().map(\.used)
                #expect(counted == expected)
            }
        }
    }
}
