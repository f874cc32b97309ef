import Basics

/// The fields of a form as a browser posts it (`application/x-www-form-urlencoded`, URL Standard 5.1). Accepts any bytes.
package struct FormBody: Hashable, Sendable {
    private var fields: [String: [String]] = [:]

    package init(decoding bytes: [UInt8]) {
        for pair in bytes.split(separator: UInt8(ascii: "&")) {
            let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            let name = Self.text(parts[0])
            fields[name, default: []].append(parts.count > 1 ? Self.text(parts[1]) : "")
        }
    }

    /// The first field with this name.
    package subscript(_ name: String) -> String? { fields[name]?.first }

    /// All fields with this name, as of checkboxes, in the order of the form.
    package func all(_ name: String) -> [String] { fields[name] ?? [] }

    private static func text(_ bytes: ArraySlice<UInt8>) -> String {
        let decoded = PercentCoding.decode(bytes, brokenEscape: .literal, plusIsSpace: true)
        return String(decoding: decoded ?? [], as: UTF8.self)
    }
}
