import Glibc

/// Lines at the bottom of the terminal, replaced in place; without a terminal, each new line is printed once.
package struct LiveDisplay {
    private let isInteractive: Bool
    private var shown: [String] = []

    init(isInteractive: Bool = Terminal.isInteractive) { self.isInteractive = isInteractive }

    mutating func show(_ lines: [String]) {
        guard lines != shown else { return }
        if isInteractive {
            emit(Self.redraw(over: shown.count, lines))
        } else {
            let known = Set(shown)
            for line in lines where !known.contains(line) { print(line) }
            // The reader of a pipe expects the lines immediately.
            fflush(nil)
        }
        shown = lines
    }

    /// Removes the lines, clearing the way for the result.
    mutating func clear() {
        if isInteractive, !shown.isEmpty { emit(Self.redraw(over: shown.count, [])) }
        shown = []
    }

    /// Moves up over the old lines (CUU), clears to the end of the screen (ED), then writes the new lines.
    package static func redraw(over old: Int, _ lines: [String]) -> String {
        let up = old > 0 ? "\u{1B}[\(old)A" : ""
        return up + "\r\u{1B}[J" + lines.map { $0 + "\n" }.joined()
    }

    private func emit(_ text: String) {
        print(text, terminator: "")
        fflush(nil)
    }
}
