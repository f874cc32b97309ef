import Basics
package import CloudModel
import Foundation

/// The extended attributes `user.ubiquity.*`, one per fact, in plain text.
package enum StatusAttribute: Hashable, Sendable {
    case fact(DocumentFact)
    case other(Other)

    /// Attributes that are not facts of a document's state.
    package enum Other: String, CaseIterable, Sendable {
        case conflictOf
        case pin
        case itemID
        case version
        case device
        case container
        /// How far the log of the item's container was read; absent until it was read to its end, and while the log
        /// differs from the one read.
        case followed
        /// All attributes together.
        case json
        /// Set to `1` to fetch the bytes.
        case download
        /// Set to `1` to drop the local bytes.
        case evict
    }

    package static let prefix = DocumentFact.attributePrefix

    private static let all = DocumentFact.allCases.map { Self.fact($0) } + Other.allCases.map { Self.other($0) }

    /// The name without the prefix.
    private var name: String {
        switch self {
        case .fact(let fact): fact.shortName
        case .other(let other): other.rawValue
        }
    }

    package init?(name: String) {
        guard name.hasPrefix(Self.prefix) else { return nil }
        let name = name.dropFirst(Self.prefix.count)
        guard let known = Self.all.first(where: { $0.name == name }) else { return nil }
        self = known
    }

    /// Returns the attribute's text; nil if it has none (no error, not a conflict).
    package func value(in status: DocumentStatus) -> String? {
        switch self {
        case .fact(let fact): status.state[fact]?.plainText
        case .other(.conflictOf): status.conflictOf
        case .other(.pin): status.pin.text
        case .other(.itemID): status.item.description
        case .other(.version): status.version?.description
        case .other(.device): status.device
        case .other(.container): status.container.text
        case .other(.json): Self.json(status)
        // Not of the document.
        case .other(.followed), .other(.download), .other(.evict): nil
        }
    }

    /// Returns an object with a member per attribute with a value: flags and percentages as JSON values, the rest as
    /// text.
    private static func json(_ status: DocumentStatus) -> String {
        var members: [String: any Sendable] = [:]
        for attribute in all where attribute != .other(.json) { members[attribute.name] = attribute.member(in: status) }
        let options: JSONSerialization.WritingOptions = [.sortedKeys, .withoutEscapingSlashes]
        // Flags, whole numbers and text can always be encoded.
        guard let data = try? JSONSerialization.data(withJSONObject: members, options: options) else { return "{}" }
        return String(decoding: data, as: UTF8.self)
    }

    private func member(in status: DocumentStatus) -> (any Sendable)? {
        guard case .fact(let fact) = self else { return value(in: status) }
        return switch status.state[fact] {
        case .flag(let flag): flag
        case .percentage(let percent): Int(clamping: percent)
        case .text(let text): text
        case nil: nil
        }
    }
}

extension DocumentFact.Value {
    /// The value as an attribute's text: flags are `1` and `0`, percentages whole numbers.
    fileprivate var plainText: String {
        switch self {
        case .flag(let flag): flag ? "1" : "0"
        case .percentage(let percent): String(Int(clamping: percent))
        case .text(let text): text
        }
    }
}
