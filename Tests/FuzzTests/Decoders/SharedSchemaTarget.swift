import Records

extension FuzzTarget {
    /// The description of a shared database's tables, written by a remote device. Its statements are run.
    static let sharedSchemas = FuzzTarget(name: "schema") { bytes in
        guard let schema = accepted({ try SharedSchema(decoding: bytes) }) else { return false }
        for table in schema.tables {
            for (place, statement) in table.statements.enumerated() {
                try Violation.unless(
                    SharedSchema.isSafe(statement, isTable: place == 0), "a statement that is not safe: \(statement)")
            }
        }
        guard let encoded = accepted({ try schema.encoded() }) else { return true }
        try Violation.unless(
            accepted { try SharedSchema(decoding: encoded) } == schema, "a description differs after it is written")
        return true
    } seeds: {
        let table = SharedSchema.Table(
            "a", statements: ["CREATE TABLE a(id TEXT PRIMARY KEY NOT NULL)", "CREATE INDEX i ON a(id)"],
            counters: ["n"])
        return [try SharedSchema(version: 2, tables: [table]).encoded()]
    }
}
