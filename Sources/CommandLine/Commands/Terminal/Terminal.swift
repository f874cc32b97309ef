import DaemonProtocol
import Glibc

/// What is known of the terminal, and the words that go to it.
enum Terminal {
    static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

    static var isInteractive: Bool { isTerminal && variable("TERM") != "dumb" }

    /// Colours only for eyes, and not for those who refuse them (no-color.org).
    static var style: TextStyle {
        TextStyle(isColoured: isInteractive && (variable("NO_COLOR") ?? "").isEmpty)
    }

    /// Columns; 80 when it is not known.
    static var width: Int {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }

    /// `ubiquity: what happened: path. What to do.` on standard error, a line for each cause.
    static func complain(_ failure: CommandFailure) {
        for cause in failure.causes { note(cause.description) }
    }

    /// A line on standard error: progress and remarks do not belong into what a script reads.
    static func note(_ text: String) {
        // Errors quote servers and names of files, which must not command the terminal.
        let shown = text.split(separator: "\n", omittingEmptySubsequences: false).map { printable(String($0)) }
        let line = "ubiquity: \(shown.joined(separator: "\n"))\n"
        // Nothing can be reported when standard error is gone.
        _ = line.withCString { Glibc.write(STDERR_FILENO, $0, strlen($0)) }
    }

    /// Writes bytes that need not be text to standard output, behind what was printed.
    static func write(_ bytes: [UInt8]) {
        fflush(nil)
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
            // The end of the command says that the output is gone.
            guard count > 0 else {
                if count < 0, errno == EINTR { continue }
                return
            }
            rest = rest.dropFirst(count)
        }
    }

    /// Whether a user can be asked.
    static var hasInput: Bool { isatty(STDIN_FILENO) == 1 }

    /// Asks on the terminal; false without one.
    static func confirms(_ question: String) -> Bool {
        guard hasInput else { return false }
        print("\(question) [y/N] ", terminator: "")
        fflush(nil)
        return ["y", "yes"].contains(readLine()?.lowercased() ?? "")
    }

    /// A line that the user types, or that a script pipes in; nil at the end of the input.
    static func ask(_ question: String) -> String? {
        if isatty(STDIN_FILENO) == 1 { print("\(question) ", terminator: "") }
        fflush(nil)
        return readLine()
    }

    /// Like ``ask(_:)``, without showing on the terminal what is typed (termios(3), ECHO).
    static func askSecret(_ question: String) -> String? {
        var settings = termios()
        guard hasInput, tcgetattr(STDIN_FILENO, &settings) == 0 else { return ask(question) }
        var hidden = settings
        hidden.c_lflag &= ~tcflag_t(ECHO)
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &hidden)
        defer {
            tcsetattr(STDIN_FILENO, TCSAFLUSH, &settings)
            print()
        }
        return ask(question)
    }

    private static func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
}

/// How text is set off, or not.
package struct TextStyle: Hashable, Sendable {
    package let isColoured: Bool

    package init(isColoured: Bool) { self.isColoured = isColoured }

    package static let plain = TextStyle(isColoured: false)

    package func bold(_ text: String) -> String { wrap(text, "1") }
    package func dim(_ text: String) -> String { wrap(text, "2") }
    package func good(_ text: String) -> String { wrap(text, "32") }
    package func busy(_ text: String) -> String { wrap(text, "36") }
    package func warning(_ text: String) -> String { wrap(text, "33") }
    package func bad(_ text: String) -> String { wrap(text, "31") }

    private func wrap(_ text: String, _ code: String) -> String {
        isColoured ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }
}
