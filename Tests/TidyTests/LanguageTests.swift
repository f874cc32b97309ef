import Testing

/// Checks that comments use the field's words, so that a reader finds a concept by its usual name. docs/GLOSSARY.md lists the words of this
/// project beside the field's.
@Suite("Language")
struct LanguageTests {
    private struct Ban: Sendable {
        let pattern: String
        let instead: String
    }

    // Each word is split in two, so that this file passes too.
    private static let bans = [
        Ban(pattern: "to" + "ld", instead: "notified, sent, recorded, uploaded, reported"),
        Ban(pattern: "some" + "body", instead: "the process, client, device or user that does it"),
        Ban(pattern: "no" + "body", instead: "no process, no client, no device, no user"),
        Ban(pattern: "who" + "ever", instead: "the process, client, device or user that does it"),
        Ban(pattern: "an" + "ew", instead: "again, from scratch, rebuilt"),
        Ban(pattern: "me" + "nd(s|ed|ing)?", instead: "fix, repair"),
        Ban(pattern: "hears? " + "of", instead: "is notified of, receives, learns"),
        Ban(pattern: "plat" + "ter", instead: "durable, disk"),
    ]

    /// Parts of names that the field's words have replaced; GLOSSARY has those.
    private static let retiredNames = [
        "Ne" + "ws", "Turn" + "stile", "Trou" + "ble", "Err" + "and", "After" + "math", "De" + "sk", "Mail" + "slot",
        "De" + "ed", "Man" + "ners", "Foot" + "hold", "Rhy" + "thm", "Letter" + "Office",
    ]

    private static let exceptions = [
        // Records of decisions and releases keep the words of their time.
        "docs/decisions/", "changelog/0", "CHANGELOG.md",
        // A key that earlier releases wrote.
        "Sources/Engine/Maintenance/Rebuild/RebuildReport.swift",
    ]

    @Test("comments, messages and documents use the field's words")
    func words() throws {
        let words = try Regex("\\b(\(Self.bans.map(\.pattern).joined(separator: "|")))\\b").ignoresCase()
        for file in Repository.files(ending: [".swift", ".md", ".h", ".c", ".sh", ".py", "Makefile"])
        where !Self.exceptions.contains(where: { file.path.hasPrefix($0) }) {
            for (number, line) in file.lines.enumerated() {
                guard let match = line.firstMatch(of: words) else { continue }
                let word = String(line[match.range])
                Issue.record("\(file):\(number + 1) says “\(word)”; the field says: \(Self.instead(of: word)): \(line)")
            }
        }
    }

    @Test("names use the field's words")
    func names() throws {
        let words = Self.bans.map(\.pattern).filter { !$0.contains(" ") }
        let capitals = words.map { $0.prefix(1).uppercased() + $0.dropFirst() }
        let parts = try Regex("[a-z](\(capitals.joined(separator: "|")))(?![a-z])")
        let retired = try Regex("(\(Self.retiredNames.joined(separator: "|")))s?(?![a-z])")
        for file in Repository.files(ending: [".swift"]) {
            for (number, line) in file.lines.enumerated() {
                guard let match = line.firstMatch(of: parts) ?? line.firstMatch(of: retired) else { continue }
                Issue.record("\(file):\(number + 1) has a name with “\(line[match.range])”: \(line)")
            }
        }
    }

    @Test("a comment that documents a result begins with Returns")
    func returns() throws {
        let phrase = try Regex("///? .*\\b" + "An" + "swers (how|what|whether|it|the|its|if|nil|true|false)\\b")
        for file in Repository.files(ending: [".swift"]) {
            for (number, line) in file.lines.enumerated() where line.contains(phrase) {
                Issue.record("\(file):\(number + 1) should say what it returns: \(line)")
            }
        }
    }

    /// The most words of a kind per 1,000 words of comments in Sources, as `scripts/language-gauge` counts them. Lower a bound when the figure has
    /// fallen; never raise one.
    private static let bounds: [(kind: String, words: String, most: Double)] = [
        ("clauses behind nouns", "that|which|who|whose|whom", 13),
        ("a free “what”", "what|whatever", 0.8),
        ("one and other", "one|ones|other|others|another", 8),
    ]

    @Test("comments put nouns in front of the noun instead of clauses behind it")
    func clauses() throws {
        let code = /`[^`]*`/
        let comments = Repository.files(below: "Sources", ending: [".swift"]).flatMap(\.lines).compactMap {
            $0.firstMatch(of: /^ *\/\/\/? ?(.*)/).map { String($0.1.replacing(code, with: " ")) }
        }
        let count = comments.reduce(0) { $0 + $1.matches(of: /[A-Za-z']+/).count }
        for (kind, words, most) in Self.bounds {
            let pattern = try Regex("\\b(\(words))\\b").ignoresCase()
            let found = comments.reduce(0) { $0 + $1.matches(of: pattern).count }
            let figure = 1_000 * Double(found) / Double(max(count, 1))
            #expect(figure <= most, "\(kind): \(figure) of 1,000 words; scripts/language-gauge has the places")
        }
    }

    private static func instead(of word: String) -> String {
        bans.first { ban in (try? Regex(ban.pattern).ignoresCase()).flatMap { try? $0.wholeMatch(in: word) } != nil }?
            .instead ?? ""
    }
}
