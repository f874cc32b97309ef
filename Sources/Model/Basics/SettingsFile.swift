/// Settings in a file: a line `KEY = VALUE` for each option of a program, without its dashes.
///
/// A line beginning with `#` is a comment. A value is the rest of its line: there are no quotes and no escapes, because
/// addresses use most punctuation themselves. If the vocabulary has sections, a line `[NAME]` begins a section.
package struct SettingsFile: Sendable {
    /// The allowed settings of a file.
    package struct Vocabulary: Sendable {
        package var keys: Set<String>
        /// Options without a value on the command line. In a file they are `true` or `false`.
        package var switches: Set<String>
        package var repeatable: Set<String>
        package var hasSections: Bool
        /// A correct line.
        package var example: String
        /// A sentence pointing to the settings' description.
        package var help: String

        package init(
            keys: Set<String>, switches: Set<String> = [], repeatable: Set<String> = [], hasSections: Bool = false,
            example: String, help: String
        ) {
            self.keys = keys
            self.switches = switches
            self.repeatable = repeatable
            self.hasSections = hasSections
            self.example = example
            self.help = help
        }
    }

    package struct Setting: Hashable, Sendable {
        /// Its section; nil before the first.
        package let section: String?
        package let key: String
        package let value: String
        /// Its line number, from 1.
        package let line: Int
    }

    /// Far more than all options need.
    package static let maximumBytes = 64 << 10

    /// The file's name, for messages.
    package let name: String
    package let settings: [Setting]

    /// Parses the text of a file.
    ///
    /// - Throws: ``SettingsProblem``, naming the line.
    package init(parsing text: String, name: String, _ vocabulary: Vocabulary) throws(SettingsProblem) {
        self.name = name
        var settings: [Setting] = []
        var section: String?
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            let place = "\(name), line \(index + 1)"
            let text = Self.trimmed(line)
            if text.isEmpty || text.hasPrefix("#") { continue }
            guard text.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F || $0 == "\t" }) else {
                throw SettingsProblem("\(place): it has a control character.")
            }
            if vocabulary.hasSections, text.hasPrefix("[") {
                section = try Self.section(text, place)
                continue
            }
            let setting = try Self.setting(text, index + 1, section, place, vocabulary)
            let earlier = settings.first { $0.key == setting.key && $0.section == section }
            if let earlier, !vocabulary.repeatable.contains(setting.key) {
                throw SettingsProblem("\(place): \(setting.key) is set already in line \(earlier.line).")
            }
            settings.append(setting)
        }
        self.settings = settings
    }

    private static func section(_ text: Substring, _ place: String) throws(SettingsProblem) -> String {
        let name = trimmed(text.dropFirst().dropLast())
        guard text.hasSuffix("]"), text.count > 2, !name.isEmpty else {
            throw SettingsProblem("\(place): a section is [NAME].")
        }
        return String(name)
    }

    private static func setting(
        _ text: Substring, _ line: Int, _ section: String?, _ place: String, _ vocabulary: Vocabulary
    ) throws(SettingsProblem) -> Setting {
        guard let equals = text.firstIndex(of: "=") else {
            throw SettingsProblem("\(place): write KEY = VALUE, for example \(vocabulary.example).")
        }
        let (key, value) = (String(trimmed(text[..<equals])), trimmed(text[text.index(after: equals)...]))
        guard vocabulary.keys.contains(key) else {
            throw SettingsProblem("\(place): there is no setting \"\(key)\". \(vocabulary.help)")
        }
        guard !value.isEmpty else { throw SettingsProblem("\(place): \(key) has no value.") }
        guard !vocabulary.switches.contains(key) || value == "true" || value == "false" else {
            throw SettingsProblem("\(place): \(key) is true or false.")
        }
        return Setting(section: section, key: key, value: String(value), line: line)
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text.drop(while: \.isWhitespace)
        while text.last?.isWhitespace == true { text.removeLast() }
        return text
    }

    package func value(of key: String) -> String? { settings.first { $0.key == key }?.value }
}

/// Why settings are unusable, in words for their author.
package struct SettingsProblem: Error, CustomStringConvertible {
    package let description: String
    package init(_ description: String) { self.description = description }
}
