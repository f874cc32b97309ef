import ArgumentParser
import Glibc

/// `ubiquity run`: runs a program with or without permission for downloads.
struct RunCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Run a program with or without downloads.",
        discussion: """
            With --no-download, opening a document whose bytes are not all on this device fails for CMD and every program \
            that it starts: "Resource temporarily unavailable" (EAGAIN), at once. With --download they get everything that \
            they read, even if they are background programs, such as indexers and programs under "ionice -c 3". \
            Documents that are here can be read in both cases. This sets the environment variable UBIQUITY_DOWNLOADS \
            for CMD.

            Without this command, programs.json decides, and after it a list of indexers, thumbnailers and scanners \
            that download nothing: docs/PROGRAMS.md.

            The exit status is CMD's; 126 or 127 if CMD cannot be run or found.
            """)

    @Flag(inversion: .prefixedNo, help: "Whether CMD may have documents downloaded.")
    var download: Bool

    @Argument(
        parsing: .postTerminator,
        help: ArgumentHelp("What to run, after \"--\".", valueName: "cmd"), completion: .shellCommand("compgen -c"))
    var command: [String] = []

    func validate() throws {
        guard !command.isEmpty else { throw ValidationError("Name the program to run, after \"--\".") }
    }

    func run() throws {
        setenv(Self.variable, download ? "full" : "deny", 1)
        throw ChildProgram.become(command)
    }

    /// The daemon finds this variable in the environment of the process or of one of its parents (`ProcessFacts.variable`).
    private static let variable = "UBIQUITY_DOWNLOADS"
}
