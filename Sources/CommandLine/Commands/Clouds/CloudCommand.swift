import ArgumentParser

/// `ubiquity cloud`: manages clouds themselves.
struct CloudCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cloud", abstract: "Move documents to another cloud, copy a cloud, or set one up in a bucket.",
        subcommands: [CloudMoveCommand.self, CloudCopyCommand.self, CloudPolicyCommand.self])
}
