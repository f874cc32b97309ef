import Foundation

/// A row of a query. Reading a column that is absent or has an unexpected type throws `damaged`.
struct StorageRow {
    let columns: [String]
    let values: [StorageValue]

    subscript<T: StorageValueDecodable>(_ column: Int) -> T {
        get throws {
            guard let value: T = try self[column] else { throw Self.damaged }
            return value
        }
    }

    /// Nil if the column is null.
    subscript<T: StorageValueDecodable>(_ column: Int) -> T? {
        get throws {
            guard values.indices.contains(column) else { throw Self.damaged }
            if case .null = values[column] { return nil }
            guard let value = T(values[column]) else { throw Self.damaged }
            return value
        }
    }

    subscript<T: StorageValueDecodable>(_ column: String) -> T {
        get throws { try self[index(of: column)] }
    }

    /// Nil if the column is null.
    subscript<T: StorageValueDecodable>(_ column: String) -> T? {
        get throws { try self[index(of: column)] }
    }

    /// Returns the first column of that name. Names of SQL have no case; PostgreSQL returns them in lower case.
    private func index(of column: String) throws -> Int {
        guard let index = columns.firstIndex(of: column) ?? columns.firstIndex(of: column.lowercased()) else {
            throw Self.damaged
        }
        return index
    }

    private static let damaged = StorageError(
        .damaged, "The server's database has a row that cannot be read. Restore the data directory from a backup.")
}
