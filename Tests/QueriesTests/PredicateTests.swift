import Queries
import TestSupport
import Testing

@Suite("Parsing of predicates")
struct PredicateTests {
    private func error(_ text: String, _ arguments: [PredicateArgument] = []) -> PredicateError? {
        do throws(PredicateError) {
            _ = try Predicate(parsing: text, arguments: arguments)
            return nil
        } catch { return error }
    }

    @Test(
        "NSPredicate's format is parsed",
        arguments: [
            ("name == 'a'", "name == 'a'"),
            ("%K == 'a'", "name == 'a'"),
            ("kMDItemFSName LIKE[cd] \"*.txt\"", "name LIKE[cd] '*.txt'"),
            ("size >= 10 && size<20 || isUploaded = no", "size >= 10.0 AND size < 20.0 OR isUploaded == FALSE"),
            ("NOT (kind IN {'file', 'package'})", "NOT kind IN {'file', 'package'}"),
            ("5 < size", "size > 5.0"),
            ("NOT (size > 1 OR (size < 2))", "NOT (size > 1.0 OR size < 2.0)"),
            (
                "(size>1 OR size<2) AND (size>3 AND !(!size<4))",
                "(size > 1.0 OR size < 2.0) AND (size > 3.0 AND NOT NOT size < 4.0)"
            ),
            (
                "modified BETWEEN {'2026-01-01', '2026-02-01T00:00:00Z'}",
                "modified BETWEEN {CAST(788918400.0, \"NSDate\"), CAST(791596800.0, \"NSDate\")}"
            ),
            ("!TRUEPREDICATE", "NOT TRUEPREDICATE"),
            ("NSMetadataUbiquitousItemHasUnresolvedConflictsKey == 1", "hasUnresolvedConflicts == TRUE"),
            ("downloadingError != nil", "downloadingError != NULL"),
            ("xattr.user.my-note CONTAINS[c] 'x'", "xattr.user.my-note CONTAINS[c] 'x'"),
            ("NSMetadataItemFSNameKey == *", "name == '*'"), ("kMDItemFSName=='a\\*'", "name == 'a\\\\*'"),
            ("NOT(name==*.tx?)", "NOT name == '*.tx?'"), ("conflictOf == nil", "conflictOf == NULL"),
        ])
    func reads(_ text: String, _ expected: String) throws {
        let arguments: [PredicateArgument] = text.contains("%K") ? [.value(.text("kMDItemFSName"))] : []
        #expect(try Predicate(parsing: text, arguments: arguments).description == expected)
    }

    @Test(
        "Words without any predicate syntax are searched for in names",
        arguments: [
            ("plan", "name CONTAINS[cd] 'plan'"), ("tax  2026", "name CONTAINS[cd] 'tax 2026'"),
            ("*.pdf", "name ==[cd] '*.pdf'"), ("size", "name CONTAINS[cd] 'size'"),
            ("100%", "name CONTAINS[cd] '100%'"),
            ("notes in may", "name CONTAINS[cd] 'notes in may'"), ("été (1)", "name CONTAINS[cd] 'été (1)'"),
            ("size > 10", "size > 10.0"), ("truepredicate", "TRUEPREDICATE"),
        ])
    func typed(_ text: String, _ expected: String) throws {
        #expect(try Predicate(typed: text).description == expected)
    }

    @Test(
        "A malformed predicate is refused, not searched for",
        arguments: ["name == 'a", "size LIKE 'x'", "nam = 3", "name LIKE x", "", "  ", "name contains[c] plan"])
    func typedWrong(_ text: String) {
        #expect(throws: PredicateError.self) { try Predicate(typed: text) }
    }

    @Test(
        "The text of a predicate with the maximum nesting can be parsed again", arguments: ["!", "NOT ", "("])
    func deepest(_ opening: String) throws {
        var count = 0
        while let deeper = try? Predicate(parsing: nested(opening, count + 1)) {
            #expect(try Predicate(parsing: deeper.description) == deeper)
            count += 1
        }
        #expect(count > 20 && count < Predicate.maximumDepth)
    }

    private func nested(_ opening: String, _ count: Int) -> String {
        String(repeating: opening, count: count) + "size > 1 OR size < 2"
            + String(repeating: ")", count: opening == "(" ? count : 0)
    }

    @Test("Arguments replace placeholders in order, lists too")
    func arguments() throws {
        let predicate = try Predicate(
            parsing: "%K IN %@ AND size > %d",
            arguments: [.value(.text("name")), .list([.text("a"), .text("b")]), .value(.number(7))])
        #expect(predicate.description == "name IN {'a', 'b'} AND size > 7.0")
        #expect(error("name == %@")?.message.contains("no value") == true)
        #expect(error("name == 'a'", [.value(.null)])?.message.contains("left over") == true)
    }

    @Test(
        "Errors say what is wrong, and where",
        arguments: [
            ("", 1, "a value"), ("name ==", 8, "a value"), ("nam == 'a'", 1, "no attribute nam"),
            ("name == 'a", 9, "not closed"), ("size LIKE '*'", 6, "applies to text"), ("size == 'x'", 6, "a number"),
            ("isUploaded > TRUE", 12, "true or false"), ("name == 'a' name", 13, "AND, OR or the end"),
            ("(name == 'a'", 13, "“)” is expected"), ("name MATCHES '['", 6, "not closed"),
            ("size BETWEEN {1}", 6, "two values"), ("modified > 'soon'", 10, "not a time"),
            ("name # 'a'", 6, "is unexpected"),
            ("'a' == 'a'", 1, "an attribute"), ("size > 1e999", 8, "not a number"), ("size[c] == 1", 5, "comparison"),
        ])
    func refuses(_ text: String, _ position: Int, _ message: String) {
        let error = error(text)
        #expect(error?.position == position, "\(text): \(String(describing: error))")
        #expect(error?.message.contains(message) == true, "\(text): \(String(describing: error))")
    }

    @Test("Nesting, length and lists are bounded: exceeding a limit is an error, never a crash")
    func bounds() {
        #expect(error(String(repeating: "(", count: 5_000)) != nil)
        #expect(error(String(repeating: "NOT ", count: 4_000)) != nil)
        #expect(error("name == '\(String(repeating: "x", count: 20_000))'") != nil)
        #expect(error("name IN {\(Array(repeating: "'a'", count: 1_001).joined(separator: ","))}") != nil)
        #expect(error("name MATCHES '(a{1000}){1000}'")?.message.contains("too large") == true)
        #expect(error("name MATCHES '\(String(repeating: "(", count: 200))'") != nil)
    }

    @Test(
        "Any text is a predicate or an error, and a predicate's description parses to the same predicate",
        arguments: 1...40)
    func random(_ seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<200 {
            let text = Predicates.text(using: &random)
            guard let predicate = try? Predicate(parsing: text) else { continue }
            #expect(throws: Never.self, "seed \(seed): \(text) → \(predicate)") {
                let again = try Predicate(parsing: predicate.description)
                #expect(again.description == predicate.description, "seed \(seed): \(text)")
            }
        }
    }

    @Test("Predicates of every shape parse to themselves", arguments: 1...40)
    func generated(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<100 {
            let predicate = Predicates.predicate(depth: 3, using: &random)
            let again = try Predicate(parsing: predicate.description)
            #expect(again.description == predicate.description, "seed \(seed)")
        }
    }
}
