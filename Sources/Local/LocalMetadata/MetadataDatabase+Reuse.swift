import GRDB

extension MetadataDatabase {
    /// Resets the database to a new one's state, without creating one: simulations use thousands of devices, and
    /// preparing the connections costs more than everything else.
    package func removeAll() throws {
        try connections.withWriter { db in
            beginWrite()
            defer { endWrite() }
            recentRows.removeAll()
            declarations.all = [:]
            defer { rowChanges.drop() }
            numbers.reset()
            try db.transaction("BEGIN IMMEDIATE") {
                let tables = try String.fetchAll(
                    db.cachedStatement(
                        sql: "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT GLOB '*_*'"))
                // The table referenced by the rest is emptied last.
                for table in tables.filter({ $0 != "container" }) + ["container"] {
                    try db.perform("DELETE FROM \(table)")
                }
                try db.perform("UPDATE sqlite_sequence SET seq = 15 WHERE name = 'local'")
            }
        }
    }
}
