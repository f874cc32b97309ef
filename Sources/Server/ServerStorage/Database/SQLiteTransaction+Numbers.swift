/// The numbers of rows of tables with `AUTOINCREMENT` (sqlite.org/autoinc.html).
extension SQLiteTransaction {
    func lastNumber(of table: String) throws -> Int64 {
        try value(Int64.self, "SELECT seq FROM sqlite_sequence WHERE name = ?", [table]) ?? 0
    }

    func skipNumbers(of table: String, to number: Int64) throws {
        let last = try lastNumber(of: table)
        guard last < number else { return }
        // A table that never had a row has no number here.
        guard try execute("UPDATE sqlite_sequence SET seq = ? WHERE name = ?", [number, table]) == 0 else { return }
        try execute("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", [table, number])
    }
}
