import GRDB
import GRDBSQLite
import Glibc
import TestSupport
import Testing

import struct Foundation.Data

@testable import LocalMetadata

/// The database's reserve of free pages for a full disk, seen from SQLite.
@Suite("The cost of the reserve")
struct ReserveCostTests {
    @Test("a database that grows has its full reserve after each commit, and pays little for it")
    func growth() throws {
        let scratch = try Scratch()
        let writer = scratch.metadata.connections.writer
        func pagesWritten() -> Int {
            writer.inDatabase { db in
                var (now, most): (CInt, CInt) = (0, 0)
                sqlite3_db_status(db.sqliteConnection, SQLITE_DBSTATUS_CACHE_WRITE, &now, &most, 0)
                return Int(now)
            }
        }
        func pages(_ kind: String) throws -> Int {
            try writer.inDatabase { try Int.fetchOne($0, sql: "PRAGMA \(kind)") ?? 0 }
        }
        try scratch.metadata.write { try $0.setSetting("first", Data(count: 1)) }
        let (written, size) = (pagesWritten(), try pages("page_count"))
        let commits = 600
        var least = Int.max
        for commit in 0..<commits {
            try scratch.metadata.write { try $0.setSetting("key \(commit)", Data(count: 3_500)) }
            least = min(least, try pages("freelist_count"))
        }
        #expect(least >= SpaceReserve.pageReserve)
        let grown = try pages("page_count") - size
        #expect(grown > 2 * SpaceReserve.pageReserve, "the test needs a database that grows")
        // The rows themselves write a few pages each. The reserve is rewritten once for each step of growth.
        let refills = grown / SpaceReserve.pageStep + 1
        let reserve = refills * (SpaceReserve.pageReserve + SpaceReserve.pageStep + 8)
        let spent = pagesWritten() - written
        #expect(spent <= commits * 8 + reserve)
    }

    @Test("after each commit the file has blocks for all pages, whatever was inserted and removed", arguments: 1...6)
    func blocks(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let scratch = try Scratch()
        let sizes = [1, 3_500, 70_000, 1 << 20, 3 << 20]
        for step in 0..<60 {
            try scratch.metadata.write { transaction in
                for _ in 0..<random.number(1..<4) {
                    let key = "key \(random.number(0..<4))"
                    if random.chance(40) {
                        try transaction.db.perform("DELETE FROM setting WHERE key = ?", [key])
                    } else {
                        try transaction.setSetting(key, Data(count: random.pick(sizes) ?? 0))
                    }
                }
            }
            let pages = try scratch.metadata.connections.writer.inDatabase {
                try Int.fetchOne($0, sql: "PRAGMA page_count") ?? 0
            }
            var status = stat()
            #expect(stat(scratch.path, &status) == 0)
            #expect(Int(status.st_size) >= pages * SpaceReserve.pageSize, "seed \(seed), step \(step)")
            let blocks = Int(status.st_blocks) * 512
            #expect(blocks >= pages * SpaceReserve.pageSize, "seed \(seed), step \(step)")
        }
    }
}
