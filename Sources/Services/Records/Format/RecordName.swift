/// The name of a table or of a column. SQLite ignores the case of ASCII letters in names, so they are kept in lower
/// case.
///
/// Names are compared by their bytes: Swift's strings would also unify different encodings of a letter, unlike SQLite.
package struct RecordName: Hashable, Comparable, Sendable, CustomStringConvertible {
    package static let maximumBytes = 255
    package let utf8: [UInt8]

    /// Returns nil for a name that is empty or longer than ``maximumBytes``.
    package init?(_ text: String) { self.init(utf8: Array(text.utf8)) }

    /// Also returns nil for invalid UTF-8.
    package init?(utf8 bytes: some Collection<UInt8>) {
        guard !bytes.isEmpty, bytes.count <= Self.maximumBytes, String(validating: bytes, as: UTF8.self) != nil else {
            return nil
        }
        utf8 = bytes.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 }
    }

    /// Folding looks up names all the time; an array hashes each byte separately.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(utf8.count)
        utf8.withUnsafeBytes { hasher.combine(bytes: $0) }
    }

    package var description: String { String(decoding: utf8, as: UTF8.self) }

    package static func < (left: RecordName, right: RecordName) -> Bool {
        left.utf8.lexicographicallyPrecedes(right.utf8)
    }
}
