import Synchronization

/// Rewrites the SQL of the stores for PostgreSQL. The stores use the common subset of both engines; the rest is:
///
/// - Parameters are `?` and `?1` in SQLite, `$1` in PostgreSQL.
/// - `unixepoch()` and `randomblob(16)` are functions of SQLite.
///
/// Names of columns have no case in either engine (``StorageRow``).
enum PostgresDialect {
    private static let functions = [
        "unixepoch()": "CAST(EXTRACT(EPOCH FROM now()) AS BIGINT)", "randomblob(16)": "uuid_send(gen_random_uuid())",
    ]

    private static let known = Mutex<[String: String]>([:])
    /// Far more than the stores have.
    private static let maximumKnown = 1_024

    static func rewrite(_ sql: String) -> String {
        known.withLock { known in
            if let rewritten = known[sql] { return rewritten }
            let rewritten = translated(sql)
            if known.count >= maximumKnown { known = [:] }
            known[sql] = rewritten
            return rewritten
        }
    }

    /// A parameter without a number gets the number after the highest before it (sqlite.org/lang_expr.html#varparam).
    static func translated(_ sql: String) -> String {
        var sql = sql
        for (function, replacement) in functions { sql = sql.replacing(function, with: replacement) }
        var result = ""
        var quote: Character?
        var highest = 0
        var rest = sql[...]
        while let next = rest.popFirst() {
            if let open = quote {
                if next == open { quote = nil }
            } else if next == "'" || next == "\"" {
                quote = next
            } else if next == "?" {
                let digits = rest.prefix { $0.isASCII && $0.isNumber }
                rest = rest.dropFirst(digits.count)
                let number = Int(digits) ?? highest + 1
                highest = max(highest, number)
                result += "$\(number)"
                continue
            }
            result.append(next)
        }
        return result
    }
}
