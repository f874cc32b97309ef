import ArgumentParser

/// `ubiquity cloud`: manages clouds themselves; no mount is required.
struct CloudCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cloud", abstract: "Copy a cloud.", subcommands: [CloudCopyCommand.self])
}
