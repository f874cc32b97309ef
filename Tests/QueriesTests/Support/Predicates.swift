import CloudModel
import Queries
import TestSupport

/// Random predicates and texts.
enum Predicates {
    private static let words = [
        "name", "size", "isUploaded", "modified", "tags", "==", "!=", "<", "LIKE", "[cd]", "MATCHES", "IN", "BETWEEN",
        "AND", "OR", "NOT", "(", ")", "{", "}", ",", "'a*'", "\"b.txt\"", "'", "12", "-3.5", "TRUE", "NULL", "CAST",
        "%@", "%K", "xattr.user.x", "'2026-01-01'", "\\", "é", "\u{301}", "TRUEPREDICATE", "&&", "!",
    ]

    static func text(using random: inout SeededGenerator) -> String {
        (0..<Int.random(in: 0...12, using: &random)).map { _ in words.randomElement(using: &random) ?? "" }
            .joined(separator: Bool.random(using: &random) ? " " : "")
    }

    static let names = [
        "a.txt", "A.TXT", "b.md", "été.txt", "e\u{301}te\u{301}.TXT", "K.txt", "\u{212A}.txt", "no ending", ".hidden",
        "x.tar.gz", "ß.txt", "ss.txt", "ſ.txt", "*.txt", "back\\slash", "a.tx\u{301}t",
    ]

    private static let patterns = ["*.txt", "?.txt", "a*", "*", "*e*", "\\*.txt", "*.T?T", ""]
    private static let expressions = ["a\\.txt", ".*\\.(txt|md)", "[a-z]+.*", "(a|b)*.?", "^.{5}$", "\\w+\\.\\w+"]

    static func predicate(depth: Int, using random: inout SeededGenerator) -> Predicate {
        guard depth > 0 else { return .comparison(comparison(using: &random)) }
        switch Int.random(in: 0..<6, using: &random) {
        case 0: return .not(predicate(depth: depth - 1, using: &random))
        case 1: return .always(Bool.random(using: &random))
        case 2, 3:
            let parts = (0..<Int.random(in: 2...3, using: &random)).map { _ in
                predicate(depth: depth - 1, using: &random)
            }
            return Bool.random(using: &random) ? .all(parts) : .any(parts)
        default: return .comparison(comparison(using: &random))
        }
    }

    private static func comparison(using random: inout SeededGenerator) -> Comparison {
        let options = TextOptions(rawValue: UInt8.random(in: 0...3, using: &random))
        func pick<T>(_ values: [T]) -> T { values[Int.random(in: 0..<values.count, using: &random)] }
        switch Int.random(in: 0..<9, using: &random) {
        case 0: return Comparison(.name, .like, [.text(pick(patterns))], options: options)
        case 1: return Comparison(.name, .matches, [.text(pick(expressions))], options: options)
        case 2:
            let relation = pick([Comparison.Relation.beginsWith, .endsWith, .contains, .equal, .notEqual, .less])
            return Comparison(.name, relation, [.text(pick(names + [".txt", "t", "e"]))], options: options)
        case 3: return Comparison(.name, .among, [.text(pick(names)), .text(pick(names))], options: options)
        case 4: return Comparison(.fileExtension, .equal, [.text(pick(["txt", "TXT", "md", ""]))], options: options)
        case 5:
            let relation = pick([Comparison.Relation.less, .greaterOrEqual, .equal, .notEqual])
            return Comparison(.size, relation, [.number(Double(Int.random(in: 0...4, using: &random)))])
        case 6:
            let low = Double(Int.random(in: 0...3, using: &random))
            return Comparison(.size, .between, [.number(low), .number(low + 1.5)])
        case 7: return Comparison(.fact(.isUploaded), pick([.equal, .notEqual]), [.flag(Bool.random(using: &random))])
        default:
            return Comparison(
                .modified, pick([.less, .greater]), [.date(Int64.random(in: 0...4, using: &random) * 1_000_000_000)])
        }
    }
}

/// An item with properties set by a test.
struct TestSubject: LiveSubject {
    var name = "a.txt"
    var size = 1.0
    var isUploaded = true
    var modified: Int64 = 0
    var tags: [String] = []
    var scopeContainer: Int64 = 1
    var isInDocuments = true
    var isResult = true
    var ending: String? { Predicate.ending(of: Array(name.utf8)) }

    func value(of attribute: QueryAttribute) -> QueryValue? {
        switch attribute {
        case .name: .text(name)
        case .fileExtension:
            .text(
                name.lastIndex(of: ".").map { $0 == name.startIndex ? "" : String(name[name.index(after: $0)...]) }
                    ?? "")
        case .size: .number(size)
        case .fact(.isUploaded): .flag(isUploaded)
        case .modified: .date(modified)
        case .tags: .list(tags)
        default: nil
        }
    }
}
