/// The program rules of a settings file.
package struct ProgramRules: Hashable, Sendable {
    /// The allowance by name of the program, or by the absolute path of its executable file.
    package let allowances: [String: DownloadAllowance]
    /// The names cut in `comm`, by their first 15 bytes.
    private let cut: [[UInt8]: DownloadAllowance]

    /// The length of `comm` (TASK_COMM_LEN without the terminator).
    private static let nameLength = 15

    package init(_ allowances: [String: DownloadAllowance] = [:]) {
        self.allowances = allowances
        // If two long names share a beginning, the more generous rule counts.
        let order: [DownloadAllowance] = [.full, .head, .deny]
        var cut: [[UInt8]: DownloadAllowance] = [:]
        for (name, allowance) in allowances where name.utf8.count > Self.nameLength && !name.hasPrefix("/") {
            let key = Array(name.utf8.prefix(Self.nameLength))
            let earlier = cut[key] ?? .deny
            cut[key] = order.first { $0 == allowance || $0 == earlier }
        }
        self.cut = cut
    }

    /// Returns the rules' allowance for a program; nil if there is none. The path takes precedence over the file's
    /// name, then the process's name, then an interpreter's script file.
    package func allowance(of program: ProcessFacts.Program) -> DownloadAllowance? {
        if let path = program.path {
            let file = path.split(separator: "/").last.map(String.init) ?? path
            if let found = allowances[path] ?? allowances[file] { return found }
        }
        let name = Array(program.name.utf8)
        return allowances[program.name] ?? (name.count == Self.nameLength ? cut[name] : nil)
            ?? allowances[program.family]
    }
}
