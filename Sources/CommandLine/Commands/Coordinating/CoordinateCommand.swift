import ArgumentParser
import DaemonProtocol

/// `ubiquity coordinate`: runs a program while no other coordinating program reads or writes the same document.
struct CoordinateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "coordinate", abstract: "Run a program while it holds a claim on a document.",
        discussion: """
            Waits for the claim, runs CMD, and releases the claim when CMD ends or this command is killed. Readers share \
            the document, a writer has it alone, in order of arrival. Programs that show the document through the library are \
            asked to save first. A plain program that opens it waits too, for 15 seconds at most. A coordinate inside CMD does \
            not wait for the one around it.

            The exit status is CMD's, or 128 plus the number of the signal that ended it. If CMD was not run it is one of \
            ubiquity's: 5 if the claim was not granted in time; 126 or 127 if CMD cannot be run or found.
            """, subcommands: [CoordinateReadCommand.self, CoordinateWriteCommand.self])
}

struct CoordinateReadCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "read", abstract: "Other programs may read meanwhile, but not write.")

    @OptionGroup var task: CoordinatedTask

    func run() throws { try task.run(.read) }
}

struct CoordinateWriteCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "write", abstract: "No other program may read or write meanwhile.")

    @OptionGroup var task: CoordinatedTask

    func run() throws { try task.run(.write) }
}
