import GRDB

extension MetadataDatabase {
    /// Makes it what a new database is, without making one: simulations live through thousands of devices, and what the connections
    /// have prepared costs more than all else.
    package func removeAll() throws {
        try connections.writer.inDatabase { db in
            try db.transaction("BEGIN IMMEDIATE") {
                let tables = try String.fetchAll(
                    db.cachedStatement(
                        sql: "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT GLOB '*_*'"))
                // What the others refer to goes last.
                for table in tables.filter({ $0 != "container" }) + ["container"] {
                    try db.perform("DELETE FROM \(table)")
                }
                try db.perform("UPDATE sqlite_sequence SET seq = 15 WHERE name = 'local'")
            }
        }
    }
}
