import Basics
package import DaemonProtocol
import FoundationEssentials
import Glibc
package import VirtualFileSystem

/// The form of `programs.json`: an object with lists of programs under `full`, `head` and `deny`.
package enum ProgramRulesFile {
    /// The maximum size of a file and number of names.
    package static let maximumBytes = 1 << 20
    package static let maximumNames = 10_000

    /// Decodes the bytes of a file.
    ///
    /// - Throws: `invalidRequest` naming the file and its error.
    package static func parse(_ bytes: [UInt8], path: String) throws(DaemonFailure) -> ProgramRules {
        func invalid(_ what: String) -> DaemonFailure {
            DaemonFailure(
                .invalidRequest, "the rules for programs are not valid: \(what)", path: path,
                advice: #"The form is {"full": ["borg"], "head": [], "deny": ["my-indexer"]}."#)
        }
        guard bytes.count <= maximumBytes else { throw invalid("the file has more than 1 MiB") }
        let lists: [String: [String]]
        do {
            lists = try JSONDecoder().decode([String: [String]].self, from: Data(bytes))
        } catch { throw invalid("it is not a JSON object of lists of names") }
        var allowances: [String: DownloadAllowance] = [:]
        // In a fixed order, so that a file always has the same message.
        for (key, names) in lists.sorted(by: { $0.key < $1.key }) {
            guard let allowance = DownloadAllowance(rawValue: key) else {
                throw invalid("\"\(printable(key))\" is not one of full, head and deny")
            }
            for name in names {
                if let problem = problem(of: name) { throw invalid("\"\(printable(name))\" \(problem)") }
                guard (allowances[name] ?? allowance) == allowance else {
                    throw invalid("\"\(printable(name))\" is in two lists")
                }
                allowances[name] = allowance
            }
        }
        guard allowances.count <= maximumNames else { throw invalid("it has more than \(maximumNames) names") }
        return ProgramRules(allowances)
    }

    private static func problem(of name: String) -> String? {
        let bytes = name.utf8
        if bytes.isEmpty { return "is empty" }
        if bytes.contains(0) { return "has a NUL" }
        if bytes.first == UInt8(ascii: "/") {
            return bytes.count < Int(PATH_MAX) && bytes.last != UInt8(ascii: "/") ? nil : "is no path of a program"
        }
        if bytes.contains(UInt8(ascii: "/")) { return "is a path that does not begin with /" }
        return bytes.count <= 255 ? nil : "is too long for a name"
    }

    /// A message is a single line.
    private static func printable(_ text: String) -> String {
        String(
            text.prefix(64).map { $0.isNewline || $0.asciiValue.map { $0 < 0x20 || $0 == 0x7F } ?? false ? "?" : $0 })
    }
}
