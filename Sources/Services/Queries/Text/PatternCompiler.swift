/// Compiles a pattern into its automaton by recursive descent.
struct PatternCompiler {
    private typealias Step = TextPattern.Step

    private let pattern: [Unicode.Scalar]
    private let options: TextOptions
    private var position = 0
    private var depth = 0

    init(_ pattern: [Unicode.Scalar], _ options: TextOptions) {
        self.pattern = pattern
        self.options = options
    }

    mutating func program() throws(PatternError) -> [TextPattern.Step] {
        let steps = try alternatives()
        guard position == pattern.count else { throw error("a ) without a (") }
        return steps + [.match]
    }

    private var next: Unicode.Scalar? { position < pattern.count ? pattern[position] : nil }

    private func error(_ message: String) -> PatternError { PatternError(message: message, offset: position) }

    private mutating func takes(_ scalar: Unicode.Scalar) -> Bool {
        guard next == scalar else { return false }
        position += 1
        return true
    }

    // MARK: Structure. Steps are relative to their own beginning; joining shifts them.

    private mutating func alternatives() throws(PatternError) -> [TextPattern.Step] {
        depth += 1
        defer { depth -= 1 }
        guard depth <= Predicate.maximumDepth else { throw error("groups are nested too deeply") }
        var steps = try sequence()
        while takes("|") {
            let other = try sequence()
            steps =
                [.fork(1, steps.count + 2)] + Self.shift(steps, 1) + [.jump(steps.count + other.count + 2)]
                + Self.shift(other, steps.count + 2)
            try check(steps.count)
        }
        return steps
    }

    private mutating func sequence() throws(PatternError) -> [TextPattern.Step] {
        var steps: [Step] = []
        while let scalar = next, scalar != "|", scalar != ")" {
            let part = try repeated()
            steps += Self.shift(part, steps.count)
            try check(steps.count)
        }
        return steps
    }

    private mutating func repeated() throws(PatternError) -> [TextPattern.Step] {
        var steps = try atom()
        while let scalar = next {
            switch scalar {
            case "*": steps = Self.star(steps)
            case "+": steps = steps + Self.shift(Self.star(steps), steps.count)
            case "?": steps = Self.optional(steps)
            case "{": steps = try counted(steps)
            default: return steps
            }
            if scalar != "{" { position += 1 }
            try check(steps.count)
        }
        return steps
    }

    private func check(_ count: Int) throws(PatternError) {
        guard count <= TextPattern.maximumSteps else { throw error("the pattern is too large") }
    }

    private static func shift(_ steps: [TextPattern.Step], _ distance: Int) -> [TextPattern.Step] {
        steps.map { step in
            switch step {
            case .fork(let first, let second): .fork(first + distance, second + distance)
            case .jump(let target): .jump(target + distance)
            default: step
            }
        }
    }

    private static func star(_ steps: [TextPattern.Step]) -> [TextPattern.Step] {
        [.fork(1, steps.count + 2)] + shift(steps, 1) + [.jump(0)]
    }

    private static func optional(_ steps: [TextPattern.Step]) -> [TextPattern.Step] {
        [.fork(1, steps.count + 1)] + shift(steps, 1)
    }

    /// Parses `{m}`, `{m,}`, `{m,n}`.
    private mutating func counted(_ steps: [TextPattern.Step]) throws(PatternError) -> [TextPattern.Step] {
        position += 1
        guard let least = number() else { throw error("a number is missing") }
        var most: Int? = least
        if takes(",") { most = next == "}" ? nil : number() ?? -1 }
        guard takes("}"), most.map({ $0 >= least }) ?? true else { throw error("{m,n} is not closed, or n is below m") }
        try check((most ?? least + 1) * (steps.count + 1))
        var result: [Step] = []
        for _ in 0..<least { result += Self.shift(steps, result.count) }
        let rest = most.map { most in
            (0..<(most - least)).reduce([Step]()) { inner, _ in Self.optional(steps + Self.shift(inner, steps.count)) }
        }
        return result + Self.shift(rest ?? Self.star(steps), result.count)
    }

    private mutating func number() -> Int? {
        var value: Int?
        while let scalar = next, let digit = Int(String(scalar)), value ?? 0 < TextPattern.maximumSteps {
            value = (value ?? 0) * 10 + digit
            position += 1
        }
        return value
    }
}

// MARK: Elements that match one scalar

extension PatternCompiler {
    fileprivate mutating func atom() throws(PatternError) -> [TextPattern.Step] {
        guard let scalar = next else { throw error("an expression is missing") }
        position += 1
        switch scalar {
        case "(": return try group()
        case "[": return [.scalars(try set())]
        case ".": return [.scalars(.any)]
        case "^": return [.start]
        case "$": return [.end]
        case "*", "+", "?", "{":
            position -= 1
            throw error("there is nothing to repeat")
        case "\\": return [.scalars(try escape())]
        default: return literal(scalar)
        }
    }

    private mutating func group() throws(PatternError) -> [TextPattern.Step] {
        if next == "?" {
            position += 1
            guard takes(":") else { throw error("the only supported group with (? is (?:") }
        }
        let steps = try alternatives()
        guard takes(")") else { throw error("a ( is not closed") }
        return steps
    }

    private func literal(_ scalar: Unicode.Scalar) -> [TextPattern.Step] {
        FoldedText(String(scalar), options).scalars.map { .scalars(ScalarSet(ranges: [$0...$0])) }
    }

    private mutating func escape() throws(PatternError) -> ScalarSet {
        guard let scalar = next else { throw error("a \\ is at the end") }
        position += 1
        switch scalar {
        case "d": return .digits
        case "D": return ScalarSet.digits.inverted
        case "w": return .words
        case "W": return ScalarSet.words.inverted
        case "s": return .spaces
        case "S": return ScalarSet.spaces.inverted
        case "t": return ScalarSet(ranges: [9...9])
        case "n": return ScalarSet(ranges: [10...10])
        case "a"..."z", "A"..."Z", "0"..."9":
            position -= 1
            throw error("\\\(scalar) is not supported")
        default: return ScalarSet(ranges: [scalar.value...scalar.value])
        }
    }

    private mutating func set() throws(PatternError) -> ScalarSet {
        var result = ScalarSet()
        let isInverted = takes("^")
        var isFirst = true
        while let scalar = next, scalar != "]" || isFirst {
            isFirst = false
            position += 1
            if scalar == "\\" {
                result.formUnion(try escape())
            } else {
                try add(from: scalar, to: &result)
            }
        }
        guard takes("]") else { throw error("a [ is not closed") }
        result.isInverted = isInverted
        return result
    }

    /// Adds a scalar, or a range if `-` and a second scalar follow; in both letter cases if case is ignored.
    private mutating func add(from first: Unicode.Scalar, to set: inout ScalarSet) throws(PatternError) {
        var last = first
        if next == "-", position + 1 < pattern.count, pattern[position + 1] != "]" {
            last = pattern[position + 1]
            position += 2
        }
        guard first <= last else { throw error("the range \(first)-\(last) is backwards") }
        set.ranges.append(first.value...last.value)
        guard options.contains(.ignoringCase), last.isASCII else { return }
        for scalar in first.value...last.value {
            let folded = UInt8(scalar) | 0x20
            if (0x61...0x7A).contains(folded) { set.ranges.append(UInt32(folded)...UInt32(folded)) }
        }
    }
}
