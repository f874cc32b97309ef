/// The regular expression of `MATCHES`. It runs as an automaton following all alternatives in parallel: the time is
/// proportional to pattern and text, so no pattern can block its caller.
///
/// Supports literals, `.`, sets (`[a-z]`, `[^…]`), `\d \w \s` and their capitals, groups, `|`, `* + ? {m,n}`, `^ $`.
struct TextPattern: Hashable, Sendable {
    enum Step: Hashable, Sendable {
        case scalars(ScalarSet)
        /// Continues at both.
        case fork(Int, Int)
        case jump(Int)
        case start
        case end
        case match
    }

    private let steps: [Step]
    /// The maximum number of a pattern's steps, with repetitions written out.
    static let maximumSteps = 4_000

    /// Throws the problem and its position in the pattern's scalars, from 0.
    init(_ pattern: String, _ options: TextOptions) throws(PatternError) {
        var compiler = PatternCompiler(FoldedText(pattern, []).scalars.compactMap(Unicode.Scalar.init), options)
        steps = try compiler.program()
    }

    /// Returns whether the pattern matches the whole text.
    func matches(_ text: FoldedText) -> Bool {
        var current = States(count: steps.count)
        var next = States(count: steps.count)
        add(0, at: 0, text, &current)
        for (position, scalar) in text.scalars.enumerated() {
            guard !current.list.isEmpty else { return false }
            next.clear()
            for state in current.list {
                if case .scalars(let set) = steps[state], set.contains(scalar) {
                    add(state + 1, at: position + 1, text, &next)
                }
            }
            swap(&current, &next)
        }
        return current.list.contains { steps[$0] == .match }
    }

    /// Adds a state and all states reachable from it without reading a scalar.
    private func add(_ state: Int, at position: Int, _ text: FoldedText, _ states: inout States) {
        var pending = [state]
        while let state = pending.popLast() {
            guard states.insert(state) else { continue }
            switch steps[state] {
            case .jump(let target): pending.append(target)
            case .fork(let first, let second): pending += [second, first]
            case .start where position == 0: pending.append(state + 1)
            case .end where position == text.scalars.count: pending.append(state + 1)
            case .start, .end, .scalars, .match: break
            }
        }
    }

    /// A set of states, cleared without touching each element.
    private struct States {
        private(set) var list: [Int] = []
        private var marks: [Int]
        private var round = 1

        init(count: Int) { marks = Array(repeating: 0, count: count) }

        mutating func insert(_ state: Int) -> Bool {
            guard marks[state] != round else { return false }
            marks[state] = round
            list.append(state)
            return true
        }

        mutating func clear() {
            round += 1
            list.removeAll(keepingCapacity: true)
        }
    }
}

struct PatternError: Error, Equatable {
    let message: String
    let offset: Int
}

/// A set of scalars, or of all but some.
struct ScalarSet: Hashable, Sendable {
    var ranges: [ClosedRange<UInt32>] = []
    var isInverted = false

    static let any = ScalarSet(ranges: [], isInverted: true)
    static let digits = ScalarSet(ranges: [0x30...0x39])
    static let spaces = ScalarSet(ranges: [0x09...0x0D, 0x20...0x20, 0xA0...0xA0])
    /// ASCII letters, digits, the underscore, and everything beyond ASCII and its signs.
    static let words = ScalarSet(ranges: [0x30...0x39, 0x41...0x5A, 0x5F...0x5F, 0x61...0x7A, 0xC0...0x10FFFF])

    func contains(_ scalar: UInt32) -> Bool { ranges.contains { $0.contains(scalar) } != isInverted }

    var inverted: ScalarSet { ScalarSet(ranges: ranges, isInverted: !isInverted) }

    /// Adds a second set; if inverted, as its contained ranges.
    mutating func formUnion(_ other: ScalarSet) {
        ranges += other.isInverted ? other.complement : other.ranges
    }

    private var complement: [ClosedRange<UInt32>] {
        var (result, next): ([ClosedRange<UInt32>], UInt32) = ([], 0)
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if range.lowerBound > next { result.append(next...(range.lowerBound - 1)) }
            next = max(next, range.upperBound + 1)
        }
        return next <= 0x10FFFF ? result + [next...0x10FFFF] : result
    }
}
