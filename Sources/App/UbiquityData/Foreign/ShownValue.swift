import Foundation
package import GRDB

/// A value as text, for people.
package struct ShownValue: Hashable, Sendable {
    /// SQLite's storage class: null, integer, real, text or blob.
    package let kind: String
    /// A number in decimal, a text as it is, a blob in hexadecimal; truncated.
    package let text: String
    package let isCut: Bool

    /// - Parameter limit: Maximum bytes shown of a text or a blob.
    package init(_ value: DatabaseValue, limit: Int) {
        switch value.storage {
        case .null: (kind, text, isCut) = ("null", "", false)
        case .int64(let number): (kind, text, isCut) = ("integer", "\(number)", false)
        case .double(let number): (kind, text, isCut) = ("real", "\(number)", false)
        case .string(let string):
            kind = "text"
            isCut = string.utf8.count > limit
            text = isCut ? String(decoding: string.utf8.prefix(limit), as: UTF8.self) : string
        case .blob(let data):
            kind = "blob"
            isCut = data.count > limit
            text = data.prefix(limit).map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
        }
    }
}

/// Maximum bytes shown to people of a value, and of each key column.
private let shownBytes = 4_096
private let shownKeyBytes = 256

extension LostValue {
    package var shownKey: [ShownValue] { key.map { ShownValue($0, limit: shownKeyBytes) } }
    package var shownValue: ShownValue { ShownValue(value, limit: shownBytes) }
}

extension AsideRow {
    package var shownKey: [ShownValue] { key.map { ShownValue($0, limit: shownKeyBytes) } }
}

extension ValueConflict {
    package var shownKey: [ShownValue] { key.map { ShownValue($0, limit: shownKeyBytes) } }
}

extension ValueConflict.Candidate {
    package var shownValue: ShownValue { ShownValue(value, limit: shownBytes) }
}

extension RowHistory {
    package var shownKey: [ShownValue] { key.map { ShownValue($0, limit: shownKeyBytes) } }
}

extension RowHistory.Column {
    package var shownValue: ShownValue { ShownValue(value, limit: shownBytes) }
}

extension RowHistory.Candidate {
    package var shownValue: ShownValue { ShownValue(value, limit: shownBytes) }
}
