import Queries
import TestSupport
import Testing

@Suite("Meaning of predicates")
struct EvaluationTests {
    private func matches(_ text: String, _ subject: TestSubject = TestSubject()) throws -> Bool {
        PreparedPredicate(try Predicate(parsing: text)).matches(subject)
    }

    @Test(
        "Text is compared as the options say",
        arguments: [
            ("name == 'a.txt'", "a.txt", true), ("name == 'A.txt'", "a.txt", false),
            ("name ==[c] 'A.TXT'", "a.txt", true),
            ("name ==[d] 'ete'", "été", true), ("name == 'été'", "e\u{301}te\u{301}", true),
            ("name CONTAINS[cd] 'ÉT'", "l'été", true), ("name BEGINSWITH 'l'", "l'été", true),
            ("name ENDSWITH[d] 'te'", "été", true), ("name LIKE '*.t?t'", "b.txt", true),
            ("name LIKE '?'", "ab", false), ("name LIKE 'a\\*'", "a*", true), ("name LIKE 'a\\*'", "ab", false),
            ("name MATCHES '[a-c]+\\.(txt|md)'", "abc.md", true), ("name MATCHES 'a'", "ab", false),
            ("name MATCHES[c] '[A-C]{2,3}'", "abC", true),
            ("name MATCHES '(a*)*b'", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", false),
            ("name MATCHES '\\d{4}-\\d\\d'", "2026-11", true), ("name MATCHES '[^.]*'", "a.b", false),
            ("name == '*'", "a.txt", true), ("name == 'a.*'", "a.txt", true), ("name == '?.txt'", "a.txt", true),
            ("name == '?.txt'", "ab.txt", false), ("name != '*.txt'", "a.txt", false),
            ("name != '*.txt'", "a.md", true),
            ("name ==[c] 'A.*'", "a.txt", true), ("name == 'a\\*'", "a*", true), ("name == 'a\\*'", "ab", false),
            ("name == 'a\\?'", "a?", true), ("name == 'back\\slash'", "back\\slash", true),
            ("name == 'a\\\\\\\\*'", "a\\b", true), ("name IN {'*'}", "a", false), ("name IN {'*'}", "*", true),
            ("extension == 't*'", "a.txt", true), ("name == *.txt", "a.txt", true), ("name == *", "é", true),
            ("name != 2026*", "2026-01", false), ("(name == a?c AND size == 1)", "abc", true),
            ("name IN {'x', 'a.txt'}", "a.txt", true), ("name < 'b'", "a.txt", true),
            ("name BETWEEN {'a', 'b'}", "a.txt", true), ("name != 'a'", "b", true),
        ])
    func text(_ predicate: String, _ name: String, _ expected: Bool) throws {
        #expect(try matches(predicate, TestSubject(name: name)) == expected)
    }

    @Test("Numbers, times, booleans, lists and missing values are compared")
    func values() throws {
        #expect(try matches("size == 1 AND size IN {1, 2} AND NOT size BETWEEN {2, 3}"))
        #expect(try matches("modified == '1970-01-01' AND modified < '1970-01-01T00:00:00.000000001Z'"))
        #expect(try matches("isUploaded == YES AND isUploaded != 0"))
        #expect(try matches("tags CONTAINS 'x'", TestSubject(tags: ["y", "x"])))
        #expect(try !matches("tags == 'x'"))
        #expect(try matches("tags != 'x'", TestSubject(tags: ["y"])))
        #expect(try matches("downloadingError == nil AND path != 'a' AND NOT path == 'a'"))
    }

    @Test("A pattern with nested repetitions is evaluated at once, and delays no other query")
    func hostilePatterns() throws {
        let name = String(repeating: "a", count: 255)
        for pattern in ["(a*)*(a*)*(a*)*b", "(a|a)*(a|a)*b", "(a|aa)+b", "a{0,200}a{0,200}b"] {
            #expect(try !matches("name MATCHES '\(pattern)'", TestSubject(name: name)), "\(pattern)")
        }
    }

    @Test("An item whose extension a predicate excludes does not match", arguments: 1...60)
    func endings(_ seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<100 {
            let predicate = Predicates.predicate(depth: 2, using: &random)
            let prepared = PreparedPredicate(predicate)
            for name in Predicates.names {
                let subject = TestSubject(name: name, size: 2)
                guard let endings = predicate.endings, let ending = subject.ending, !endings.contains(ending) else {
                    continue
                }
                #expect(!prepared.matches(subject), "seed \(seed): \(name) \(predicate)")
            }
        }
    }
}
