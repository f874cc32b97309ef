import GRDB

/// Detects flipped bytes in a database considered intact by SQLite.
extension MetadataTransaction {
    /// Returns corrupt rows, whose bytes are not as written, at most `limit` of each table, and tables with a different
    /// definition.
    func sealProblems(limit: Int) throws -> [RowProblem] {
        let intended = try IntendedSchema()
        let schema = try intended.problems(in: db)
        // The rows of a table with a different definition cannot be queried.
        guard schema.isEmpty else { return schema }
        let rows = try intended.tables.flatMap { try brokenSeals($0, limit: limit) }
        return try rows + [numberingProblem()].compactMap(\.self)
    }

    private func brokenSeals(_ table: IntendedSchema.Table, limit: Int) throws -> [RowProblem] {
        let query = """
            SELECT \(Self.node(ofTable: table)) FROM \(table.name) AS own
            WHERE seal IS NOT \(RowSeal.expression(table.columns)) LIMIT \(limit)
            """
        return try Row.fetchAll(db, sql: query).map { row in
            RowProblem(
                kind: .brokenSeal, node: (row[0] as Int64?).map { NodeID(UInt64(bitPattern: $0)) },
                what: "its row in \"\(table.name)\" does not match its checksum")
        }
    }

    /// Returns SQL for the item of the local tree that a table's row belongs to.
    private static func node(ofTable table: IntendedSchema.Table) -> String {
        if table.name == "local" { return "node" }
        if table.name == "manifest" { return "(SELECT node FROM local WHERE local.digest = own.digest LIMIT 1)" }
        guard table.columns.contains("container"), table.columns.contains("item") else { return "NULL" }
        return "(SELECT node FROM local WHERE local.container = own.container AND local.item = own.item)"
    }

    /// Detects that nodes could be reused: to a program with an open file, a reused node would be two files at once.
    private func numberingProblem() throws -> RowProblem? {
        let last = try optionalNumber("SELECT max(seq) FROM sqlite_sequence WHERE name = 'local'") ?? -1
        guard try last < number("SELECT coalesce(max(node), 15) FROM local") else { return nil }
        return RowProblem(kind: .numbering, node: nil, what: "the last assigned item number is below one in use")
    }

    /// Returns whether a row of `local` has its bytes as written; true if the database is older than seals.
    func isSealed(_ node: NodeID) throws -> Bool {
        let columns = ["node"] + LocalItem.columns
        guard try db.columns(in: "local").contains(where: { $0.name == RowSeal.column }) else { return true }
        return try number(
            "SELECT seal IS \(RowSeal.expression(columns)) FROM local WHERE node = ?", [Int64(bitPattern: node.value)])
            != 0
    }
}

/// The schema created by this version in an empty database: tables, indexes and the list of migrations.
struct IntendedSchema {
    struct Table {
        let name: String
        /// The columns covered by the seal, in their order.
        let columns: [String]
    }

    let tables: [Table]
    private let definitions: Set<String>

    init() throws {
        var configuration = Configuration()
        configuration.prepareDatabase { try RowSeal.register(in: $0) }
        let empty = try DatabaseQueue(configuration: configuration)
        try Schema.migrator.migrate(empty)
        (tables, definitions) = try empty.read { db in
            let tables = try Schema.sealedTables.map { name in
                Table(name: name, columns: try db.columns(in: name).map(\.name).filter { $0 != RowSeal.column })
            }
            return (tables, try Self.definitions(in: db))
        }
    }

    func problems(in db: Database) throws -> [RowProblem] {
        let present = try Self.definitions(in: db)
        return definitions.symmetricDifference(present).sorted().prefix(3).map { definition in
            RowProblem(
                kind: .schema, node: nil,
                what: "it should \(present.contains(definition) ? "not " : "")have: \(definition)")
        }
    }

    private static func definitions(in db: Database) throws -> Set<String> {
        let tables = try String.fetchAll(
            db, sql: "SELECT type || ' ' || name || ' ' || coalesce(sql, '') FROM sqlite_master")
        return Set(tables + (try String.fetchAll(db, sql: "SELECT 'migration ' || identifier FROM grdb_migrations")))
    }
}
