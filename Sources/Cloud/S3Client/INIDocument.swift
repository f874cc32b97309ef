/// Sections of names and values, as in `~/.aws/config` ("Configuration and credential file settings", AWS CLI User
/// Guide). Pure.
///
/// Lines beginning with space belong to the preceding setting and are skipped. Names are compared in lower case; of two
/// settings with the same name the later counts. A value extends to the end of its line: nothing in it begins a
/// comment.
struct INIDocument: Hashable, Sendable {
    /// Each section's settings, by section name.
    private(set) var sections: [String: [String: String]] = [:]

    /// More than any person writes; a larger file is not a settings file.
    static let maximumLines = 10_000

    /// - Throws: The number of the line that is neither a setting nor a section. The line's text may hold a secret and is not in the error.
    init(parsing text: String) throws(INIError) {
        var section: String?
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            guard index < Self.maximumLines else { throw INIError(line: index + 1) }
            guard let first = line.first(where: { !$0.isWhitespace }), first != "#", first != ";" else { continue }
            if first == "[" {
                guard let name = Self.sectionName(line) else { throw INIError(line: index + 1) }
                section = name
                if sections[name] == nil { sections[name] = [:] }
            } else if line.first?.isWhitespace != true {
                guard let section, let equals = line.firstIndex(of: "=") else { throw INIError(line: index + 1) }
                let name = Self.trimmed(line[..<equals]).lowercased()
                guard !name.isEmpty else { throw INIError(line: index + 1) }
                sections[section]?[name] = Self.trimmed(line[line.index(after: equals)...])
            }
        }
    }

    /// Returns the text between the brackets, with single spaces and without quotes; a comment may follow them.
    private static func sectionName(_ line: Substring) -> String? {
        let inner = line.drop(while: \.isWhitespace).dropFirst()
        guard let end = inner.firstIndex(of: "]") else { return nil }
        let rest = inner[inner.index(after: end)...].drop(while: \.isWhitespace)
        guard rest.isEmpty || rest.first == "#" || rest.first == ";" else { return nil }
        let words = inner[..<end].split(whereSeparator: \.isWhitespace)
        let name = words.joined(separator: " ").filter { $0 != "\"" && $0 != "'" }
        return name.isEmpty ? nil : name
    }

    private static func trimmed(_ text: Substring) -> String {
        var text = text.drop(while: \.isWhitespace)
        while text.last?.isWhitespace == true { text.removeLast() }
        return String(text)
    }
}

/// An unreadable line, counted from 1.
struct INIError: Error, Hashable {
    let line: Int
}
