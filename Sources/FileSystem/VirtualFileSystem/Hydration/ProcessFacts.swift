/// The kernel's view of a process, as far as it matters for ``HydrationPolicy``.
package struct ProcessFacts: Hashable, Sendable {
    /// A program in execution.
    package struct Program: Hashable, Sendable {
        /// The path of the executable file; nil if it may not be known.
        package var path: String?
        /// The name of the thread or process, cut to 15 bytes; for a script, its file name (`comm` in
        /// proc_pid_stat(5)).
        package var name: String
        /// The arguments, beginning with the program's own name; truncated if there are many.
        package var arguments: [String]
        /// The value of ``ProcessFacts/variable`` in its environment, if valid.
        package var declared: DownloadAllowance?

        package init(
            path: String? = nil, name: String, arguments: [String] = [], declared: DownloadAllowance? = nil
        ) {
            self.path = path
            self.name = name
            self.arguments = arguments
            self.declared = declared
        }

        /// The name under which the program's downloads are counted, however many processes run it: its executable
        /// file's, or its script's for an interpreter. At most 255 bytes.
        package var family: String {
            let file = path.flatMap(Self.file) ?? name
            let chosen = script(of: file) ?? file
            return chosen.utf8.count <= 255 ? chosen : String(decoding: chosen.utf8.prefix(255), as: UTF8.self)
        }

        private static let shells: Set<String> = ["sh", "bash", "dash", "zsh", "ksh", "fish"]
        private static let interpreters: Set<String> = ["perl", "ruby", "node", "php", "lua"]

        /// The script file among an interpreter's arguments; nil if they have program text instead, and for other
        /// programs.
        private func script(of file: String) -> String? {
            let texts: String
            if Self.shells.contains(file) {
                texts = "c"
            } else if Self.interpreters.contains(file) || file.hasPrefix("python") || file.hasPrefix("perl5") {
                // -m names a module, the rest have text.
                texts = "cemE"
            } else {
                return nil
            }
            for argument in arguments.dropFirst() {
                guard argument.hasPrefix("-") else { return Self.file(argument) }
                guard !argument.hasPrefix("--"), let last = argument.last, !texts.contains(last) else { return nil }
            }
            return nil
        }

        private static func file(_ path: String) -> String? { path.split(separator: "/").last.map(String.init) }
    }

    /// The environment variable of `ubiquity run` for the allowance of a program and its children.
    package static let variable = "UBIQUITY_DOWNLOADS"

    package var program: Program
    /// Its ancestor processes, nearest first; incomplete if there are many.
    package var parents: [Program]
    /// The paths of its control groups, one per hierarchy.
    package var controlGroups: [String]
    /// Whether its I/O class is idle (ioprio_set(2)).
    package var hasIdleIO: Bool
    /// Whether its scheduling class is `SCHED_IDLE` (sched(7)).
    package var isScheduledIdle: Bool
    package var hasTerminal: Bool
    /// Whether its memory has GLib's library for files (libgio).
    package var usesGLib: Bool

    package init(
        _ program: Program, parents: [Program] = [], controlGroups: [String] = [], hasIdleIO: Bool = false,
        isScheduledIdle: Bool = false, hasTerminal: Bool = false, usesGLib: Bool = false
    ) {
        self.program = program
        self.parents = parents
        self.controlGroups = controlGroups
        self.hasIdleIO = hasIdleIO
        self.isScheduledIdle = isScheduledIdle
        self.hasTerminal = hasTerminal
        self.usesGLib = usesGLib
    }
}
