/// How a program ended, and what it said.
package struct ProgramOutcome: Sendable, CustomStringConvertible {
    package let command: String
    /// Its exit status; minus the number of the signal that ended it.
    package let status: Int32
    package let output: String
    package let errors: String

    package var succeeded: Bool { status == 0 }

    package var description: String { "`\(command)` ended with \(status): \(output)\(errors)" }

    /// Its output without white space around it. Throws what it said unless it ended well.
    @discardableResult
    package func text() throws -> String {
        guard succeeded else { throw EndToEndError(description) }
        var text = output[...]
        while let last = text.last, last.isWhitespace { text.removeLast() }
        return String(text)
    }

    /// Its output, line by line. Throws what it said unless it ended well.
    package func lines() throws -> [String] { try text().split(separator: "\n").map(String.init) }
}
