import CLinux
import DaemonProtocol
import Glibc

/// The properties of the terminal, and input and output on it.
enum Terminal {
    static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

    static var isInteractive: Bool { isTerminal && variable("TERM") != "dumb" }

    /// The text style. Colours are used only on a terminal, and not if the user disables them (no-color.org).
    static var style: TextStyle {
        TextStyle(isColoured: isInteractive && (variable("NO_COLOR") ?? "").isEmpty)
    }

    /// The number of columns; 80 if it is unknown.
    static var width: Int {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }

    /// Prints `ubiquity: what happened: path. What to do.` on standard error, a line for each cause.
    static func complain(_ failure: CommandFailure) {
        for cause in failure.causes { note(cause.description) }
    }

    /// Prints a line on standard error, since progress and remarks must not appear in output read by a script.
    static func note(_ text: String) {
        // Errors quote servers and file names, which must not control the terminal.
        let shown = text.split(separator: "\n", omittingEmptySubsequences: false).map { printable(String($0)) }
        let line = "ubiquity: \(shown.joined(separator: "\n"))\n"
        // A failure to write to standard error cannot be reported.
        _ = line.withCString { Glibc.write(STDERR_FILENO, $0, strlen($0)) }
    }

    /// Writes bytes that need not be text to standard output, after the text printed so far.
    static func write(_ bytes: [UInt8]) {
        fflush(nil)
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
            // The flush at the end of the command reports lost output.
            guard count > 0 else {
                if count < 0, errno == EINTR { continue }
                return
            }
            rest = rest.dropFirst(count)
        }
    }

    /// Whether standard input is a terminal, for asking the user questions.
    static var hasInput: Bool { isatty(STDIN_FILENO) == 1 }

    /// Asks for confirmation on the terminal; returns false without a terminal.
    static func confirms(_ question: String) -> Bool {
        guard hasInput else { return false }
        print("\(question) [y/N] ", terminator: "")
        fflush(nil)
        return ["y", "yes"].contains(readLine()?.lowercased() ?? "")
    }

    /// Reads a line typed by the user or piped in by a script; returns nil at the end of the input.
    static func ask(_ question: String) -> String? {
        if isatty(STDIN_FILENO) == 1 { print("\(question) ", terminator: "") }
        fflush(nil)
        return readLine()
    }

    /// Reads a line like ``ask(_:)``, without echoing it on the terminal (termios(3), ECHO).
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
