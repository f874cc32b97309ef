/// How a program ended, and its output.
package struct ProgramOutcome: Sendable, CustomStringConvertible {
    package let command: String
    /// The exit status, or the negated number of the terminating signal.
    package let status: Int32
    package let output: String
    package let errors: String

    package var succeeded: Bool { status == 0 }

    package var description: String { "`\(command)` ended with \(status): \(output)\(errors)" }

    /// Returns the output without white space at its end. Throws ``description`` unless the program succeeded.
    @discardableResult
    package func text() throws -> String {
        guard succeeded else { throw EndToEndError(description) }
        var text = output[...]
        while let last = text.last, last.isWhitespace { text.removeLast() }
        return String(text)
    }

    /// Returns the nonempty lines of the output. Throws ``description`` unless the program succeeded.
    package func lines() throws -> [String] { try text().split(separator: "\n").map(String.init) }
}
