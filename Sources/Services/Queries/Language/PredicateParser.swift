extension Predicate {
    /// Parses a predicate in the language of `NSPredicate`'s format strings. `%@` and the like stand for `arguments` in their order.
    package init(parsing text: String, arguments: [PredicateArgument] = []) throws(PredicateError) {
        var lexer = try PredicateLexer(text)
        var parser = PredicateParser(try lexer.tokens(), arguments)
        self = try parser.whole()
    }

    /// Parses a predicate in Spotlight's notation: the same language, except that the options `c` and `d` follow the
    /// quotes of a text.
    package init(parsingMetadataQuery text: String) throws(PredicateError) {
        var lexer = try PredicateLexer(text, takesTextOptions: true)
        var parser = PredicateParser(try lexer.tokens(), [])
        self = try parser.whole()
    }
}

/// Parses the tokens of a predicate by recursive descent.
struct PredicateParser {
    private let tokens: [PredicateToken]
    private var arguments: ArraySlice<PredicateArgument>
    private var index = 0
    private var depth = 0

    init(_ tokens: [PredicateToken], _ arguments: [PredicateArgument]) {
        self.tokens = tokens
        self.arguments = arguments[...]
    }

    mutating func whole() throws(PredicateError) -> Predicate {
        let predicate = try either()
        guard token.kind == .end else { throw error("AND, OR or the end is expected") }
        guard arguments.isEmpty else { throw error("\(arguments.count) arguments are left over") }
        return predicate
    }

    // MARK: Words

    fileprivate var token: PredicateToken { tokens[index] }

    fileprivate func error(_ message: String) -> PredicateError { PredicateError(message, at: token.position) }

    fileprivate mutating func advance() { if index < tokens.count - 1 { index += 1 } }

    fileprivate mutating func takes(_ sign: String) -> Bool {
        guard token.kind == .sign(sign) else { return false }
        advance()
        return true
    }

    fileprivate mutating func takesKeyword(_ keywords: String...) -> Bool {
        guard case .word(let word) = token.kind, keywords.contains(word.uppercased()) else { return false }
        advance()
        return true
    }

    fileprivate mutating func expect(_ sign: String) throws(PredicateError) {
        guard takes(sign) else { throw error("“\(sign)” is expected") }
    }

    fileprivate mutating func argument() throws(PredicateError) -> PredicateArgument {
        guard let argument = arguments.popFirst() else { throw error("there is no argument for this") }
        advance()
        return argument
    }

    // MARK: Structure

    private mutating func either() throws(PredicateError) -> Predicate {
        depth += 1
        defer { depth -= 1 }
        guard depth <= Predicate.maximumDepth else { throw error("it is nested too deeply") }
        var parts = [try both()]
        while takes("||") || takesKeyword("OR") { parts.append(try both()) }
        return parts.count == 1 ? parts[0] : .any(parts)
    }

    private mutating func both() throws(PredicateError) -> Predicate {
        var parts = [try negation()]
        while takes("&&") || takesKeyword("AND") { parts.append(try negation()) }
        return parts.count == 1 ? parts[0] : .all(parts)
    }

    private mutating func negation() throws(PredicateError) -> Predicate {
        depth += 1
        defer { depth -= 1 }
        guard depth <= Predicate.maximumDepth else { throw error("it is nested too deeply") }
        return takes("!") || takesKeyword("NOT") ? .not(try negation()) : try primary()
    }

    private mutating func primary() throws(PredicateError) -> Predicate {
        if takesKeyword("TRUEPREDICATE") { return .always(true) }
        if takesKeyword("FALSEPREDICATE") { return .always(false) }
        guard takes("(") else { return .comparison(try comparison()) }
        let inner = try either()
        try expect(")")
        return inner
    }
}

// MARK: Comparisons

extension PredicateParser {
    private enum Operand {
        case attribute(QueryAttribute)
        case values([Literal], isList: Bool)
    }

    fileprivate mutating func comparison() throws(PredicateError) -> Comparison {
        let start = token.position
        let left = try operand()
        let place = token.position
        let (relation, written) = try relation()
        var options = written
        let right = try operand()
        if case .textOptions(let more) = token.kind {
            options.formUnion(more)
            advance()
        }
        switch (left, right) {
        case (.attribute(let attribute), .values(let values, let isList)):
            return try bound(attribute, relation, options, values, isList, place)
        case (.values(let values, false), .attribute(let attribute)):
            guard let mirrored = relation.mirrored else {
                throw PredicateError("the attribute must be to the left of \(relation.rawValue)", at: place)
            }
            return try bound(attribute, mirrored, options, values, false, place)
        default: throw PredicateError("an attribute must be compared with a value", at: start)
        }
    }

    private mutating func operand() throws(PredicateError) -> Operand {
        if token.kind == .placeholder("K") {
            let place = token.position
            guard case .value(.text(let name)) = try argument() else {
                throw PredicateError("%K stands for the name of an attribute", at: place)
            }
            return .attribute(try attribute(name, at: place))
        }
        if token.kind == .placeholder("@"), case .list(let values) = arguments.first {
            _ = try argument()
            return .values(values, isList: true)
        }
        if takes("{") { return .values(try list(), isList: true) }
        if case .word(let word) = token.kind, !Self.isLiteral(word) {
            let place = token.position
            advance()
            return .attribute(try attribute(word, at: place))
        }
        return .values([try literal()], isList: false)
    }

    private func attribute(_ name: String, at place: Int) throws(PredicateError) -> QueryAttribute {
        guard let attribute = QueryAttribute(name: name) else {
            let known = QueryAttribute.allNames.joined(separator: ", ")
            throw PredicateError("there is no attribute \(name); the attributes are \(known)", at: place)
        }
        return attribute
    }

    private mutating func list() throws(PredicateError) -> [Literal] {
        var values: [Literal] = []
        if takes("}") { return values }
        repeat {
            guard values.count < Predicate.maximumListCount else { throw error("the list is too long") }
            values.append(try literal())
        } while takes(",")
        try expect("}")
        return values
    }

    private static func isLiteral(_ word: String) -> Bool {
        ["TRUE", "FALSE", "YES", "NO", "NULL", "NIL", "CAST"].contains(word.uppercased())
    }

    private mutating func literal() throws(PredicateError) -> Literal {
        if case .placeholder = token.kind {
            guard case .value(let value) = arguments.first else { throw error("there is no value for this") }
            _ = try argument()
            return value
        }
        if takesKeyword("TRUE", "YES") { return .flag(true) }
        if takesKeyword("FALSE", "NO") { return .flag(false) }
        if takesKeyword("NULL", "NIL") { return .null }
        if takesKeyword("CAST") { return try cast() }
        switch token.kind {
        case .text(let text):
            advance()
            return .text(text)
        case .number(let number):
            advance()
            return .number(number)
        default: throw error("a value is expected")
        }
    }

    /// Parses `CAST(seconds since 2001, "NSDate")`, or a cast of a text.
    private mutating func cast() throws(PredicateError) -> Literal {
        try expect("(")
        let place = token.position
        let value = try literal()
        try expect(",")
        guard token.kind == .text("NSDate") else { throw error("only \"NSDate\" can be cast to") }
        advance()
        try expect(")")
        switch value {
        case .number(let seconds): return .date(CalendarTime.nanoseconds(sinceReferenceDate: seconds))
        case .text(let text):
            guard let time = CalendarTime.nanoseconds(text) else {
                throw PredicateError("that is not a time such as 2026-11-21T14:03:12Z", at: place)
            }
            return .date(time)
        default: throw PredicateError("that is not a time", at: place)
        }
    }

    private mutating func relation() throws(PredicateError) -> (Comparison.Relation, TextOptions) {
        let relation: Comparison.Relation
        switch token.kind {
        case .sign(let sign):
            guard let known = Self.signs[sign] else { throw error("a comparison is expected, such as == or LIKE") }
            relation = known
        case .word(let word):
            guard let known = Comparison.Relation(rawValue: word.uppercased()) else {
                throw error("a comparison is expected, such as == or LIKE")
            }
            relation = known
        default: throw error("a comparison is expected, such as == or LIKE")
        }
        advance()
        return (relation, takes("[") ? try options() : [])
    }

    private static let signs: [String: Comparison.Relation] = [
        "=": .equal, "==": .equal, "!=": .notEqual, "<>": .notEqual, "<": .less, "<=": .lessOrEqual, "=<": .lessOrEqual,
        ">": .greater, ">=": .greaterOrEqual, "=>": .greaterOrEqual,
    ]

    private mutating func options() throws(PredicateError) -> TextOptions {
        guard case .word(let word) = token.kind, word.allSatisfy({ "cdn".contains($0) }) else {
            throw error("the options are c, d or cd")
        }
        advance()
        try expect("]")
        var options: TextOptions = []
        if word.contains("c") { options.insert(.ignoringCase) }
        if word.contains("d") { options.insert(.ignoringMarks) }
        return options
    }
}
