import ArgumentParser

/// `ubiquity offline`: takes this device off its cloud until `ubiquity online`.
struct OfflineCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "offline", abstract: "Stop all transfers of this device, as without a network.",
        discussion: """
            The mount works as before: documents whose bytes are on this device can be read and edited, and edits wait for \
            `ubiquity online`. A document that is only in the cloud cannot be opened. Transfers under way are interrupted; they \
            continue where they stopped. The setting survives a restart.
            """)

    @Argument(help: "The mounts to take offline (default: all).", completion: .directory)
    var paths: [String] = []

    @Flag(help: "Print the outcome as JSON.")
    var json = false

    func run() throws { try OnlineSwitch(isOnline: false).apply(to: paths, json: json) }
}
