/// The settings of a server in a file: a line `KEY = VALUE` for each option of `ubiquity-server serve`, without its dashes.
///
/// A line that begins with `#` is a comment. A value is the rest of its line: there are no quotes and no escapes, because the addresses of
/// databases and buckets use most punctuation themselves.
package struct SettingsFile: Sendable {
    package struct Setting: Hashable, Sendable {
        package let key: String
        package let value: String
        /// The number of its line, from 1.
        package let line: Int
    }

    /// The settings that say where the data is. The owner's commands use these alone.
    package static let placeKeys: Set<String> = ["data", "database", "chunks", "cache"]
    /// All long options of `serve` but `--settings` itself.
    package static let keys: Set<String> = placeKeys.union([
        "listen", "tls-certificate", "tls-key", "public-url", "trusted-proxy", "connections-per-address",
        "drain-seconds", "security-contact", "log-level", "keep-versions-days",
    ]).union(switches)
    /// Options without a value. Their settings are `true` or `false`.
    private static let switches: Set<String> = ["direct-downloads"]
    private static let repeatable: Set<String> = ["trusted-proxy"]
    /// Far more than all options need.
    package static let maximumBytes = 64 << 10

    /// The file's name, for messages.
    package let name: String
    package let settings: [Setting]

    /// Parses the text of a file.
    ///
    /// - Throws: ``SettingsProblem``, which names the line.
    package init(parsing text: String, name: String) throws(SettingsProblem) {
        self.name = name
        var settings: [Setting] = []
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            guard let setting = try Self.setting(line, number: index + 1, of: name) else { continue }
            let earlier = settings.first { $0.key == setting.key }
            if let earlier, !Self.repeatable.contains(setting.key) {
                throw SettingsProblem(
                    "\(name), line \(setting.line): \(setting.key) is set already in line \(earlier.line).")
            }
            settings.append(setting)
        }
        self.settings = settings
    }

    /// Returns the setting of a line; nil for an empty line or a comment.
    private static func setting(
        _ line: Substring, number: Int, of name: String
    ) throws(SettingsProblem) -> Setting? {
        let text = trimmed(line)
        if text.isEmpty || text.hasPrefix("#") { return nil }
        guard text.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F || $0 == "\t" }) else {
            throw SettingsProblem("\(name), line \(number): it has a control character.")
        }
        guard let equals = text.firstIndex(of: "=") else {
            throw SettingsProblem(
                "\(name), line \(number): write KEY = VALUE, for example listen = 127.0.0.1:8080.")
        }
        let (key, value) = (trimmed(text[..<equals]), trimmed(text[text.index(after: equals)...]))
        guard keys.contains(String(key)) else {
            throw SettingsProblem(
                "\(name), line \(number): there is no setting \"\(key)\". `ubiquity-server serve --help` lists the options, whose names the settings have without dashes."
            )
        }
        guard !value.isEmpty else { throw SettingsProblem("\(name), line \(number): \(key) has no value.") }
        guard !switches.contains(String(key)) || value == "true" || value == "false" else {
            throw SettingsProblem("\(name), line \(number): \(key) is true or false.")
        }
        return Setting(key: String(key), value: String(value), line: number)
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text.drop(while: \.isWhitespace)
        while text.last?.isWhitespace == true { text.removeLast() }
        return text
    }

    package func value(of key: String) -> String? { settings.first { $0.key == key }?.value }

    /// Returns the settings as arguments of `serve`, except for the place and for options that the command line has already.
    package func arguments(beside given: [String]) -> [String] {
        let isGiven = Set(given.filter { $0.hasPrefix("--") }.map { $0.dropFirst(2).prefix { $0 != "=" } })
        return settings.filter { !Self.placeKeys.contains($0.key) && !isGiven.contains($0.key[...]) }
            .compactMap(Self.argument)
    }

    private static func argument(_ setting: Setting) -> String? {
        guard switches.contains(setting.key) else { return "--\(setting.key)=\(setting.value)" }
        return setting.value == "true" ? "--\(setting.key)" : nil
    }
}

/// Why settings cannot be used, in words for the server's owner.
package struct SettingsProblem: Error, CustomStringConvertible {
    package let description: String
    package init(_ description: String) { self.description = description }
}
