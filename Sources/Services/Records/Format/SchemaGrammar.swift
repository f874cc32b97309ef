/// Decides which remote table and index definitions may be run. SQLite evaluates a definition's expressions for every
/// written row, in the programs using the database too: so there are no function calls and no computed columns, only
/// names, types, literals, collations, keys, references, and comparisons (sqlite.org/lang_createtable.html).
enum SchemaGrammar {
    /// Words for subqueries, computed columns, or function calls without a parenthesis (sqlite.org/lang_expr.html).
    private static let refused: Set<String> = [
        "AS", "SELECT", "VALUES", "WITH", "GENERATED", "LIKE", "GLOB", "MATCH", "REGEXP", "CAST", "RAISE",
    ]
    /// A parenthesis after these words is not an argument list.
    private static let openers: Set<String> = [
        "KEY", "UNIQUE", "CHECK", "IN", "AND", "OR", "NOT", "BETWEEN", "IS", "WHEN", "THEN", "ELSE", "CASE", "WHERE",
    ]
    private static let collations: Set<String> = ["BINARY", "NOCASE", "RTRIM"]

    private typealias Token = SQLWords.Token
    private static let open = Token.symbol(UInt8(ascii: "("))
    private static let close = Token.symbol(UInt8(ascii: ")"))

    static func isSafe(_ tokens: [SQLWords.Token], isTable: Bool) -> Bool {
        var depth = 0
        for (place, token) in tokens.enumerated() {
            switch token {
            case close: depth -= 1
            case open:
                guard mayOpen(tokens, at: place, depth: depth, isTable: isTable) else { return false }
                depth += 1
            case .word(let word):
                guard !refused.contains(word), word != "COLLATE" || isCollation(tokens, after: place) else {
                    return false
                }
            case .symbol(let byte):
                // Concatenation and JSON operators produce large values from small ones.
                let next = place + 1 < tokens.count ? tokens[place + 1] : nil
                let isArrow = byte == UInt8(ascii: "-") && next == .symbol(UInt8(ascii: ">"))
                guard !isArrow, !(byte == UInt8(ascii: "|") && next == token) else { return false }
            case .quoted: break
            }
            guard depth >= 0 else { return false }
        }
        return depth == 0
    }

    private static func isCollation(_ tokens: [Token], after place: Int) -> Bool {
        guard place + 1 < tokens.count, case .word(let name) = tokens[place + 1] else { return false }
        return collations.contains(name)
    }

    private static func mayOpen(_ tokens: [Token], at place: Int, depth: Int, isTable: Bool) -> Bool {
        guard place > 0 else { return false }
        switch tokens[place - 1] {
        case .word("DEFAULT"): return false
        case .word(let word) where openers.contains(word): return true
        case .symbol(let byte): return byte != UInt8(ascii: ")")
        case .quoted, .word:
            // The columns of the table or the index itself.
            if depth == 0 { return !tokens[..<place].contains(open) }
            // A referenced table's columns, or a type's numbers.
            let isReference = place > 1 && tokens[place - 2] == .word("REFERENCES")
            return isReference || (isTable && depth == 1 && isNumbers(tokens, from: place + 1))
        }
    }

    /// Whether a parenthesis has only numbers, as in a type.
    private static func isNumbers(_ tokens: [Token], from place: Int) -> Bool {
        for token in tokens[place...].prefix(6) {
            switch token {
            case close: return true
            case .word(let word): guard word.utf8.allSatisfy({ (48...57).contains($0) }) else { return false }
            case .symbol(let byte): guard [UInt8(ascii: ","), UInt8(ascii: "-")].contains(byte) else { return false }
            case .quoted: return false
            }
        }
        return false
    }
}
