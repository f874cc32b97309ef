import ArgumentParser
import DaemonProtocol

/// `ubiquity log-level`: shows or changes what the daemon of a mount logs.
struct LogLevelCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "log-level", abstract: "Show or change what the daemon logs.",
        discussion: """
            The new level is in effect at once, until the daemon ends. A daemon that restarts logs what `ubiquityd --log-level` says.
            """)

    @Argument(help: "trace, debug, info, notice, warning or error (default: show the present level).")
    var level: String?

    @OptionGroup var mount: MountOption

    @Flag(help: "Print JSON.")
    var json = false

    private struct Document: Encodable {
        let format: Int
        let mount: String
        let level: String
    }

    func validate() throws {
        guard let level, !LogLevelResponse.names.contains(level) else { return }
        throw ValidationError("'\(level)' is not a log level: use \(LogLevelResponse.names.joined(separator: ", ")).")
    }

    func run() throws {
        let record = try mount.record()
        var connection = try DaemonConnection.open(record)
        let found = try connection.call(LogLevelRequest(level: level)).level
        guard !json else {
            let document = Document(format: StatusJSON.format, mount: record.mount, level: found)
            return print(try StatusJSON.text(document))
        }
        print(level == nil ? found : "\(record.mount): logs \(found) and above until its daemon ends.")
    }
}
