import ArgumentParser
import Basics
import DaemonProtocol
import Glibc

/// The `ubiquity` program: parses its arguments, runs one command and reports its result.
package enum CommandLineTool {
    /// The exit status for the process; see ``ExitStatus``.
    package static func run() -> Int32 {
        InheritedDescriptors.completeStandard()
        do {
            try checkCommandName()
            var command = try UbiquityCommand.parseAsRoot()
            try command.run()
            // Unwritable output is a failure: a full disk or a closed pipe at standard output.
            guard fflush(nil) == 0 else { throw CommandFailure(.failed, "cannot write to standard output") }
            return ExitStatus.done.rawValue
        } catch let failure as CommandFailure {
            Terminal.complain(failure)
            return failure.status.rawValue
        } catch let error as UsageError {
            Terminal.note(error.text)
            return ExitStatus.usage.rawValue
        } catch {
            UbiquityCommand.exit(withError: error)
        }
    }

    package static var commandNames: [String] {
        UbiquityCommand.configuration.subcommands.compactMap { $0.configuration.commandName }
    }

    /// A usage error explained by a single line.
    private struct UsageError: Error { let text: String }

    /// Suggests a subcommand for an unknown one. The argument parser does so only for options, and prints the general help for an unknown
    /// subcommand.
    private static func checkCommandName() throws(UsageError) {
        // The Swift runtime reads the arguments from /proc (stdlib/public/stubs/CommandLine.cpp).
        guard !CommandLine.arguments.isEmpty else {
            throw UsageError(text: "cannot read the command line: /proc is not mounted")
        }
        var arguments = CommandLine.arguments.dropFirst()
        if arguments.first == "help" { arguments = arguments.dropFirst() }
        guard let typed = arguments.first, !typed.hasPrefix("-"), typed != "help", !commandNames.contains(typed) else {
            return
        }
        let nearest = suggestion(for: typed, among: commandNames).map { " Did you mean '\($0)'?" } ?? ""
        throw UsageError(
            text: "there is no command '\(printable(typed))'.\(nearest) \"ubiquity --help\" lists the commands.")
    }
}

/// The root of all subcommands.
struct UbiquityCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ubiquity",
        abstract: "Your documents on every device, in a cloud that you own.",
        discussion: """
            A mount (by default ~/MobileDocuments) shows every document at once; its bytes arrive when something opens \
            it. Any PATH in a mount picks that mount.

            Exit status: \(ExitStatus.summary).
            """,
        version: ProgramVersion.current,
        groupedSubcommands: [
            CommandGroup(name: "Mounts", subcommands: [MountCommand.self, UnmountCommand.self, StatusCommand.self]),
            CommandGroup(
                name: "Documents",
                subcommands: [
                    SyncCommand.self, DownloadCommand.self, EvictCommand.self, PinCommand.self, UnpinCommand.self,
                    PauseCommand.self, ResumeCommand.self, OfflineCommand.self, OnlineCommand.self, LimitCommand.self,
                    ConflictsCommand.self, ResolveCommand.self, VersionsCommand.self, DeletedCommand.self,
                    RestoreCommand.self, CoordinateCommand.self, RunCommand.self, PublishCommand.self,
                    MoveInCommand.self, MoveOutCommand.self,
                ]),
            CommandGroup(
                name: "Finding and monitoring",
                subcommands: [
                    FindCommand.self, MonitorCommand.self, StorageCommand.self, DownloadsCommand.self,
                    KeyValueCommand.self, DatabaseCommand.self,
                    ContainerCommand.self, PackageTypesCommand.self,
                ]),
            CommandGroup(
                name: "Clouds and servers",
                subcommands: [LoginCommand.self, LogoutCommand.self, CloudCommand.self, CloudCollectCommand.self]),
            CommandGroup(
                name: "Troubleshooting",
                subcommands: [
                    CheckCommand.self, RepairCommand.self, ResetCommand.self, DiagnoseCommand.self,
                    LogLevelCommand.self,
                ]),
        ])
}
