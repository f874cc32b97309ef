/// The name of a table or of a column. SQLite compares names without regard to the case of ASCII letters, so they are kept in lower case.
///
/// Names are compared by their bytes: Swift's strings would also unify different encodings of one letter, which SQLite distinguishes.
package struct RecordName: Hashable, Comparable, Sendable, CustomStringConvertible {
    package static let maximumBytes = 255
    package let utf8: [UInt8]

    /// Returns nil for an empty name and for one of more than ``maximumBytes``.
    package init?(_ text: String) { self.init(utf8: Array(text.utf8)) }

    /// Returns nil for bytes that are no UTF-8 as well.
    package init?(utf8 bytes: some Collection<UInt8>) {
        guard !bytes.isEmpty, bytes.count <= Self.maximumBytes, String(validating: bytes, as: UTF8.self) != nil else {
            return nil
        }
        utf8 = bytes.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 }
    }

    /// Folding looks up names all the time; an array hashes each byte for itself.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(utf8.count)
        utf8.withUnsafeBytes { hasher.combine(bytes: $0) }
    }

    package var description: String { String(decoding: utf8, as: UTF8.self) }

    package static func < (left: RecordName, right: RecordName) -> Bool {
        left.utf8.lexicographicallyPrecedes(right.utf8)
    }
}
