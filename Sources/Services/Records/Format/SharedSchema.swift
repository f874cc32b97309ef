import FoundationEssentials

/// How to create a shared database's tables on another device, and the declarations for their columns. Travels as a
/// file beside the transactions, for programs without a schema.
package struct SharedSchema: Codable, Hashable, Sendable {
    /// The format of the file. A release ignores newer formats.
    package static let format = 1
    /// The limits of a file: bytes, tables, and statements per table.
    package static let maximumBytes = 4 << 20
    package static let maximumTables = 1_000
    package static let maximumStatements = 1_000

    package struct Table: Codable, Hashable, Sendable {
        package let name: String
        /// The statement creating the table, and those creating its indexes.
        package var statements: [String]
        package var unify: [String]
        package var counters: [String]
        package var sets: [String]
        package var conflicts: [String]

        package init(
            _ name: String, statements: [String] = [], unify: [String] = [], counters: [String] = [],
            sets: [String] = [], conflicts: [String] = []
        ) {
            self.name = name
            self.statements = statements
            self.unify = unify
            self.counters = counters.sorted()
            self.sets = sets.sorted()
            self.conflicts = conflicts.sorted()
        }
    }

    package let format: Int
    /// Grows with each change, on any device (``TableRules/version``).
    package var version: UInt64
    package let tables: [Table]

    package init(version: UInt64, tables: [Table]) {
        format = Self.format
        self.version = version
        self.tables = tables
    }

    /// Reads a file, and refuses all statements except those creating an ordinary table or an index: they come from
    /// another device, and are run locally.
    package init(decoding bytes: [UInt8]) throws(SharedSchemaError) {
        struct Header: Decodable { let format: Int }
        guard bytes.count <= Self.maximumBytes else { throw .damaged("it is too large") }
        let data = Data(bytes)
        do {
            let header = try JSONDecoder().decode(Header.self, from: data)
            guard header.format <= Self.format else { throw SharedSchemaError.tooNew(header.format) }
            self = try JSONDecoder().decode(SharedSchema.self, from: data)
        } catch let error as SharedSchemaError {
            throw error
        } catch {
            throw .damaged("it is no description of tables")
        }
        try check()
    }

    package func encoded() throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes, .prettyPrinted]
        let bytes = Array(try encoder.encode(self))
        guard bytes.count <= Self.maximumBytes else { throw SharedSchemaError.damaged("it is too large") }
        return bytes
    }

    private func check() throws(SharedSchemaError) {
        guard tables.count <= Self.maximumTables, Set(tables.map { RecordName($0.name) }).count == tables.count else {
            throw .damaged("it has too many tables, or one of them twice")
        }
        for table in tables {
            guard RecordName(table.name) != nil, (1...Self.maximumStatements).contains(table.statements.count) else {
                throw .damaged("a table has no name, no statement, or too many")
            }
            for (place, statement) in table.statements.enumerated() {
                guard Self.isSafe(statement, isTable: place == 0) else {
                    throw .damaged("a statement of the table \(table.name) does more than to make it")
                }
            }
        }
    }

    /// Returns whether SQL text is a single statement that creates an ordinary table or its index, reads no other
    /// table, and has no function calls in expressions (``SchemaGrammar``).
    package static func isSafe(_ statement: String, isTable: Bool) -> Bool {
        guard let tokens = SQLWords.tokens(of: statement) else { return false }
        let start = isTable ? [["CREATE", "TABLE"]] : [["CREATE", "INDEX"], ["CREATE", "UNIQUE", "INDEX"]]
        return start.contains { tokens.starts(with: $0.map { .word($0) }) }
            && SchemaGrammar.isSafe(tokens, isTable: isTable)
    }
}

package enum SharedSchemaError: Error, Hashable, CustomStringConvertible {
    /// A newer release wrote it.
    case tooNew(Int)
    case damaged(String)

    package var description: String {
        switch self {
        case .tooNew(let format):
            "the description of the tables has format \(format), and this program supports up to \(SharedSchema.format)"
        case .damaged(let what): "the description of the tables cannot be used: \(what)"
        }
    }
}
