import CloudModel

/// An ``ItemCondition`` as SQL on the columns of `local`.
struct RowCondition: Equatable {
    /// The condition, with a `?` for each value.
    let sql: String
    let values: [Value]

    enum Value: Equatable {
        case integer(Int64)
        case bytes([UInt8])
    }

    private init(_ sql: String, _ values: [Value] = []) {
        self.sql = sql
        self.values = values
    }

    init(_ condition: ItemCondition) {
        switch condition {
        case .everything: self.init("1")
        case .nothing: self.init("0")
        case .all(let parts): self.init(parts, joinedBy: " AND ")
        case .any(let parts): self.init(parts, joinedBy: " OR ")
        case .not(let inner):
            let inner = RowCondition(inner)
            self.init("NOT \(inner.sql)", inner.values)
        case .isFolder: self.init("kind = 0")
        case .isIncompleteFile: self.init("(kind = 1 AND presence < 2 AND size > 0)")
        case .isConflictVersion: self.init("conflictOf IS NOT NULL")
        case .hasConflictVersions:
            self.init(
                """
                EXISTS (SELECT 1 FROM local AS sibling
                  WHERE sibling.container = local.container AND sibling.conflictOf = local.item)
                """)
        case .isSynced: self.init("(pendingSince IS NULL AND isEdited = 0 AND isExcluded = 0)")
        case .size(let test): self.init(.size, test)
        case .modified(let test): self.init(.modified, test)
        case .created(let test): self.init(.created, test)
        case .name(let test): self.init(test)
        }
    }

    private init(_ parts: [ItemCondition], joinedBy separator: String) {
        let parts = parts.map(RowCondition.init)
        self.init("(" + parts.map(\.sql).joined(separator: separator) + ")", parts.flatMap(\.values))
    }

    private init(_ column: LocalItem.Column, _ test: ItemCondition.NumberTest) {
        switch test {
        case .equal(let number): self.init("(\(column) = ?)", [.integer(number)])
        case .notEqual(let number): self.init("(\(column) != ?)", [.integer(number)])
        case .less(let number): self.init("(\(column) < ?)", [.integer(number)])
        case .lessOrEqual(let number): self.init("(\(column) <= ?)", [.integer(number)])
        case .greater(let number): self.init("(\(column) > ?)", [.integer(number)])
        case .greaterOrEqual(let number): self.init("(\(column) >= ?)", [.integer(number)])
        case .between(let first, let last):
            self.init("(\(column) BETWEEN ? AND ?)", [.integer(first), .integer(last)])
        case .among(let numbers):
            self.init("(\(column) IN (\(Self.placeholders(numbers.count))))", numbers.map { .integer($0) })
        }
    }

    private init(_ test: ItemCondition.NameTest) {
        switch test {
        case .among(let names):
            self.init("name IN (\(Self.placeholders(names.count)))", names.map { .bytes($0) })
        case .endsWith(let bytes): self.init("substr(name, -\(bytes.count)) = ?", [.bytes(bytes)])
        case .contains(let bytes): self.init("instr(name, ?) > 0", [.bytes(bytes)])
        }
    }

    private static func placeholders(_ count: Int) -> String {
        Array(repeating: "?", count: count).joined(separator: ",")
    }
}
