import ArgumentParser

/// `ubiquity online`: lets this device sync again after `ubiquity offline`.
struct OnlineCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "online", abstract: "Sync again after `ubiquity offline`.")

    @Argument(help: "The mounts to take online (default: all).", completion: .directory)
    var paths: [String] = []

    @Flag(help: "Print the outcome as JSON.")
    var json = false

    func run() throws { try OnlineSwitch(isOnline: true).apply(to: paths, json: json) }
}
