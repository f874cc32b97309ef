import Foundation

/// The value of a column.
enum StorageValue: Hashable, Sendable, Codable {
    case null
    case integer(Int64)
    case text(String)
    case bytes(Data)
}

/// The type of an argument, known even if its value is null; `column` is the type of the column assigned to or compared
/// with.
enum StorageType: Hashable, Sendable { case integer, text, bytes, column }

/// A type that can be read from a column.
protocol StorageValueDecodable {
    /// Nil if the column's value has a different type or is out of range.
    init?(_ value: StorageValue)
}

extension Int64: StorageValueConvertible, StorageValueDecodable {
    static var storageType: StorageType { .integer }
    var storageValue: StorageValue { .integer(self) }
    init?(_ value: StorageValue) {
        guard case .integer(let number) = value else { return nil }
        self = number
    }
}

extension Int: StorageValueConvertible, StorageValueDecodable {
    static var storageType: StorageType { .integer }
    var storageValue: StorageValue { .integer(Int64(self)) }
    init?(_ value: StorageValue) {
        guard case .integer(let number) = value else { return nil }
        self.init(exactly: number)
    }
}

extension UInt8: StorageValueDecodable {
    init?(_ value: StorageValue) {
        guard case .integer(let number) = value else { return nil }
        self.init(exactly: number)
    }
}

extension Bool: StorageValueConvertible, StorageValueDecodable {
    static var storageType: StorageType { .integer }
    var storageValue: StorageValue { .integer(self ? 1 : 0) }
    init?(_ value: StorageValue) {
        guard case .integer(let number) = value else { return nil }
        self = number != 0
    }
}

extension String: StorageValueConvertible, StorageValueDecodable {
    static var storageType: StorageType { .text }
    var storageValue: StorageValue { .text(self) }
    init?(_ value: StorageValue) {
        guard case .text(let text) = value else { return nil }
        self = text
    }
}

extension Data: StorageValueConvertible, StorageValueDecodable {
    static var storageType: StorageType { .bytes }
    var storageValue: StorageValue { .bytes(self) }
    init?(_ value: StorageValue) {
        switch value {
        case .bytes(let bytes): self = bytes
        case .text(let text): self = Data(text.utf8)
        case .null, .integer: return nil
        }
    }
}

extension Optional: StorageValueConvertible where Wrapped: StorageValueConvertible {
    static var storageType: StorageType { Wrapped.storageType }
    var storageValue: StorageValue { self?.storageValue ?? .null }
}
