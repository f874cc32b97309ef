import CloudModel
import DaemonProtocol
import Queries

extension FuzzTarget {
    /// Predicates written by programs and users.
    static let predicates = FuzzTarget(name: "predicate") { bytes in
        let text = String(decoding: bytes, as: UTF8.self)
        guard let predicate = accepted({ try Predicate(parsing: text) }) else { return false }
        _ = PreparedPredicate(predicate)
        _ = ItemCondition(predicate)
        let again = accepted { try Predicate(parsing: predicate.description) }
        try Violation.unless(again == predicate, "\(predicate) is read as \(again.map(\.description) ?? "nothing")")
        return true
    } seeds: {
        [
            "name LIKE[cd] '*.txt'", "size >= 10 && size<20 || isUploaded = no", "NOT (kind IN {'file', 'package'})",
            "modified BETWEEN {'2026-01-01', '2026-02-01T00:00:00Z'}", "name MATCHES '(a|b)+[^c-e]?.{2,3}'",
            "xattr.user.my-note CONTAINS[c] 'x'", "downloadingError != nil", "!TRUEPREDICATE",
            "NSMetadataItemFSNameKey == *", "name != a?b*.txt OR name == 'a\\*'",
        ].map { Array($0.utf8) }
    }

    /// Values of key-value stores, written by remote devices.
    static let propertyValues = FuzzTarget(name: "value") { bytes in
        guard let value = accepted({ try PropertyValue(decoding: bytes) }) else { return false }
        try Violation.unless(value.encoded() == bytes, "a value has two encodings: \(value)")
        return true
    } seeds: {
        let values: [PropertyValue] = [
            .flag(true), .integer(-7), .real(2.5), .text("caf\u{E9}"), .data([0, 255]), .date(0),
            .array([.integer(1), .text("a")]), .dictionary(["a": .array([]), "b": .dictionary(["c": .flag(false)])]),
        ]
        return values.compactMap { $0.encoded() }
    }
}
