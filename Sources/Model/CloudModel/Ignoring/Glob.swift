/// A shell pattern with `*`, `?` and `[…]`, and for paths with `**` (gitignore(5), glob(7)). It is compared with bytes.
///
/// All reachable positions of the pattern are followed together, so no pattern is exponential: a comparison takes at
/// most as many steps as the text has bytes, times one more than the pattern has tokens.
package struct Glob: Sendable, Equatable {
    enum Token: Sendable, Equatable {
        case byte(UInt8)
        /// `?`: any byte but a slash.
        case any
        /// `[…]`: a byte of the set but no slash.
        case set(ByteSet)
        /// `*`: any number of bytes without a slash.
        case star
        /// `**`: any number of bytes.
        case anything
        /// Before the two tokens of `**/`: these may be left out.
        case folders
    }

    /// Nil for a malformed pattern, which matches nothing.
    private let tokens: [Token]?

    /// - Parameter isPath: Whether it is compared with paths, giving `**` between slashes a special meaning, or with
    ///   names.
    package init(_ pattern: some Collection<UInt8>, isPath: Bool) {
        var parser = GlobParser(Array(pattern), isPath: isPath)
        tokens = parser.parse()
    }

    package func matches(_ text: ArraySlice<UInt8>) -> Bool {
        var steps = 0
        return matches(text, steps: &steps)
    }

    /// Like ``matches(_:)``.
    ///
    /// - Parameter steps: Is increased by the number of steps.
    package func matches(_ text: ArraySlice<UInt8>, steps: inout Int) -> Bool {
        guard let tokens, mayMatch(text, tokens) else { return false }
        var current = Positions(tokens)
        var next = Positions(tokens)
        current.reach(0)
        for byte in text {
            guard !current.list.isEmpty else { return false }
            for position in current.list where position < tokens.count {
                steps += 1
                switch tokens[position] {
                case .byte(let own): if own == byte { next.reach(position + 1) }
                case .any: if byte != Self.slash { next.reach(position + 1) }
                case .set(let set): if byte != Self.slash, set.contains(byte) { next.reach(position + 1) }
                case .star: if byte != Self.slash { next.reach(position) }
                case .anything: next.reach(position)
                case .folders: break
                }
            }
            swap(&current, &next)
            next.clear()
        }
        return current.contains(tokens.count)
    }

    /// Compares the first and the last byte, which decides for nearly all names.
    private func mayMatch(_ text: ArraySlice<UInt8>, _ tokens: [Token]) -> Bool {
        if case .byte(let byte)? = tokens.first, text.first != byte { return false }
        if case .byte(let byte)? = tokens.last, text.last != byte { return false }
        return true
    }

    private static let slash = UInt8(ascii: "/")
}

/// The distinct pattern positions reachable by the text so far.
private struct Positions {
    private let tokens: [Glob.Token]
    private(set) var list: [Int] = []
    private var isReached: [Bool]

    init(_ tokens: [Glob.Token]) {
        self.tokens = tokens
        isReached = Array(repeating: false, count: tokens.count + 1)
    }

    func contains(_ position: Int) -> Bool { isReached[position] }

    /// Adds a position, and those after tokens that may match nothing.
    mutating func reach(_ first: Int) {
        var position = first
        while position < isReached.count, !isReached[position] {
            isReached[position] = true
            list.append(position)
            guard position < tokens.count else { return }
            switch tokens[position] {
            case .byte, .any, .set: return
            case .star, .anything: position += 1
            case .folders:
                reach(position + 3)
                position += 1
            }
        }
    }

    mutating func clear() {
        for position in list { isReached[position] = false }
        list.removeAll(keepingCapacity: true)
    }
}
