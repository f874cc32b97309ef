/// A token of a predicate.
struct PredicateToken: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
        /// A keyword or the name of an attribute.
        case word(String)
        case text(String)
        case number(Double)
        /// A sign such as `==`, `(`, `{` or `,`.
        case sign(String)
        /// The letter of `%@`, `%K`, `%d` and the like.
        case placeholder(Character)
        /// The options after the quotes of a text, such as `cd`.
        case textOptions(TextOptions)
        case end
    }

    let kind: Kind
    /// The position of its first character, from 1.
    let position: Int
}

/// Splits text into tokens.
struct PredicateLexer {
    private let characters: [Character]
    private let takesTextOptions: Bool
    private var index = 0

    init(_ text: String, takesTextOptions: Bool = false) throws(PredicateError) {
        self.takesTextOptions = takesTextOptions
        guard text.utf8.count <= Predicate.maximumBytes else {
            throw PredicateError("it is longer than \(Predicate.maximumBytes) bytes", at: 1)
        }
        // Scalar by scalar, so that a combining mark does not unite with a preceding quote or escaped letter.
        characters = text.unicodeScalars.map(Character.init)
    }

    mutating func tokens() throws(PredicateError) -> [PredicateToken] {
        var tokens: [PredicateToken] = []
        while true {
            while index < characters.count, characters[index].isWhitespace { index += 1 }
            let start = index + 1
            guard index < characters.count else { return tokens + [PredicateToken(kind: .end, position: start)] }
            tokens.append(PredicateToken(kind: try token(), position: start))
            if takesTextOptions, case .text = tokens.last?.kind, let options = textOptions() {
                tokens.append(PredicateToken(kind: .textOptions(options), position: start))
            }
        }
    }

    private var next: Character? { index < characters.count ? characters[index] : nil }

    private mutating func take(while condition: (Character) -> Bool) -> String {
        let start = index
        while let character = next, condition(character) { index += 1 }
        return String(characters[start..<index])
    }

    private mutating func token() throws(PredicateError) -> PredicateToken.Kind {
        let character = characters[index]
        switch character {
        case "'", "\"": return .text(try quoted(character))
        case "%": return try placeholder()
        case "*", "?": return .text(pattern(from: index))
        case "0"..."9", ".", "-", "+":
            let start = index
            let number = try number()
            return isAtPattern ? .text(pattern(from: start)) : number
        case "_", "$": return word()
        case _ where Self.isLetter(character): return word()
        default: return .sign(try sign())
        }
    }

    private static func isLetter(_ character: Character) -> Bool { character.isASCII && character.isLetter }

    private mutating func textOptions() -> TextOptions? {
        var options: TextOptions = []
        while let letter = next, letter == "c" || letter == "d" {
            options.insert(letter == "c" ? .ignoringCase : .ignoringMarks)
            index += 1
        }
        return options.isEmpty ? nil : options
    }

    private var isAtPattern: Bool { next == "*" || next == "?" }

    /// Reads a pattern without quotes, as in `name == *.txt`: up to a space, a closing sign or any other character
    /// excluded from patterns.
    private mutating func pattern(from start: Int) -> String {
        while let character = next, !character.isWhitespace, !"(){}[],&|!=<>'\"%".contains(character) { index += 1 }
        return String(characters[start..<index])
    }

    /// Reads a word. Dots and dashes are part of the names of extended attributes.
    private mutating func word() -> PredicateToken.Kind {
        let start = index
        index += 1
        let isExtended = { (text: [Character]) in text.starts(with: "xattr.") }
        while let character = next {
            let isPart = Self.isLetter(character) || character.isASCII && character.isNumber || "_.".contains(character)
            guard isPart || isExtended(Array(characters[start..<index])) && "-:#+@".contains(character) else { break }
            index += 1
        }
        return isAtPattern ? .text(pattern(from: start)) : .word(String(characters[start..<index]))
    }

    private mutating func quoted(_ quote: Character) throws(PredicateError) -> String {
        let start = index + 1
        index += 1
        var text = ""
        while let character = next {
            index += 1
            if character == quote { return text }
            guard character == "\\" else {
                text.append(character)
                continue
            }
            guard let escaped = next else { break }
            index += 1
            switch escaped {
            case "n": text.append("\n")
            case "t": text.append("\t")
            case "'", "\"", "\\": text.append(escaped)
            // A pattern keeps its own backslashes.
            default: text += "\\\(escaped)"
            }
        }
        throw PredicateError("the text that begins here is not closed", at: start)
    }

    private mutating func placeholder() throws(PredicateError) -> PredicateToken.Kind {
        let start = index + 1
        index += 1
        // %ld and %llu mean the same as %d.
        _ = take { $0 == "l" }
        guard let letter = next, "@Kdiufg".contains(letter) else {
            throw PredicateError("after % one of @, K, d, i, u, f or g is expected", at: start)
        }
        index += 1
        return .placeholder(letter)
    }

    private mutating func number() throws(PredicateError) -> PredicateToken.Kind {
        let start = index
        if characters[index] == "-" || characters[index] == "+" { index += 1 }
        _ = take { $0.isASCII && $0.isNumber || $0 == "." }
        if let exponent = next, "eE".contains(exponent) {
            index += 1
            if let sign = next, "+-".contains(sign) { index += 1 }
            _ = take { $0.isASCII && $0.isNumber }
        }
        let text = String(characters[start..<index])
        guard let value = Double(text), value.isFinite else {
            throw PredicateError("\(text) is not a number", at: start + 1)
        }
        return .number(value)
    }

    private static let signs = ["==", "!=", "<=", ">=", "=<", "=>", "<>", "&&", "||"]

    private mutating func sign() throws(PredicateError) -> String {
        let pair = String(characters[index..<min(index + 2, characters.count)])
        if Self.signs.contains(pair) {
            index += 2
            return pair
        }
        let character = characters[index]
        guard "=<>!(){},[]".contains(character) else {
            throw PredicateError("“\(character)” is unexpected here", at: index + 1)
        }
        index += 1
        return String(character)
    }
}
