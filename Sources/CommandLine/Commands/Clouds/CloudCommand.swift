import ArgumentParser

/// `ubiquity cloud`: manages clouds themselves; no mount is required.
struct CloudCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cloud", abstract: "Copy a cloud, or set one up in a bucket.",
        subcommands: [CloudCopyCommand.self, CloudPolicyCommand.self])
}
