/// What the kernel shows of a process, as far as it matters for ``HydrationPolicy``.
package struct ProcessFacts: Hashable, Sendable {
    /// One program in execution.
    package struct Program: Hashable, Sendable {
        /// The path of the executable file; nil if it may not be known.
        package var path: String?
        /// The name of the thread or process, cut to 15 bytes: of a script, the name of its file (`comm` in proc_pid_stat(5)).
        package var name: String
        /// The arguments, the program's own name first; only the first of many.
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
    }

    /// The environment variable through which `ubiquity run` sets the allowance of a program and its children.
    package static let variable = "UBIQUITY_DOWNLOADS"

    package var program: Program
    /// The processes that started it, the nearest first; not all of them if there are many.
    package var parents: [Program]
    /// The paths of its control groups, one for each hierarchy.
    package var controlGroups: [String]
    /// Whether its I/O class is idle (ioprio_set(2)).
    package var hasIdleIO: Bool
    /// Whether its scheduling class is `SCHED_IDLE` (sched(7)).
    package var isScheduledIdle: Bool
    package var hasTerminal: Bool

    package init(
        _ program: Program, parents: [Program] = [], controlGroups: [String] = [], hasIdleIO: Bool = false,
        isScheduledIdle: Bool = false, hasTerminal: Bool = false
    ) {
        self.program = program
        self.parents = parents
        self.controlGroups = controlGroups
        self.hasIdleIO = hasIdleIO
        self.isScheduledIdle = isScheduledIdle
        self.hasTerminal = hasTerminal
    }
}
