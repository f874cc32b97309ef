import ArgumentParser
import DaemonProtocol

/// `ubiquity coordinate`: runs a program while no other program that coordinates reads or writes the same document.
struct CoordinateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "coordinate", abstract: "Run a program while it has a document to itself.",
        discussion: """
            Waits until it is this program's turn, runs CMD, and lets others go on when CMD ends, or when this command is \
            killed. Readers go together, a writer goes alone, in the order of their coming. Programs that show the document \
            through the library are asked to save first. A plain program that opens it waits too, for 15 seconds at most. \
            A coordinate inside of CMD does not wait for the one around it.

            The exit status is CMD's, or 128 and the number of the signal that ended it. Where CMD was not run it is one \
            of those of ubiquity: 5 if the turn did not come in time; 126 or 127 if CMD can not be run or found.
            """, subcommands: [CoordinateReadCommand.self, CoordinateWriteCommand.self])
}

struct CoordinateReadCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "read", abstract: "Others may read in the meantime, none may write.")

    @OptionGroup var task: CoordinatedTask

    func run() throws { try task.run(.read) }
}

struct CoordinateWriteCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "write", abstract: "No other program may read or write in the meantime.")

    @OptionGroup var task: CoordinatedTask

    func run() throws { try task.run(.write) }
}
