import ArgumentParser
import DaemonProtocol

/// `ubiquity log-level`: shows or changes the log level of a mount's daemon.
struct LogLevelCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "log-level", abstract: "Show or change what the daemon logs.",
        discussion: """
            The new level is in effect immediately, and after restarts. `debug` says what was decided about each document, and why; `trace` \
            each call of a program, each request to the cloud and each command. The areas of the log can have levels of their own, \
            as in `ubiquity log-level sync=debug,cloud=trace`: \(LogArea.allCases.map(\.rawValue).joined(separator: ", ")). \
            From debug on the log has names of documents. \
            The environment variable UBIQUITY_LOG has precedence over a level that was set before.
            """)

    @Argument(
        help: "trace, debug, info, notice, warning or error, for all areas or AREA=LEVEL (default: show the levels).")
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
        if let level { try Self.check(level) }
    }

    static func check(_ level: String) throws(ValidationError) {
        guard LogLevels(level) == nil else { return }
        throw ValidationError("'\(level)' is not a log level: use \(LogLevels.syntax).")
    }

    func run() throws {
        let record = try mount.record()
        var connection = try DaemonConnection.open(record)
        let found = try connection.call(LogLevelRequest(level: level)).level
        guard !json else {
            let document = Document(format: StatusJSON.format, mount: record.mount, level: found)
            return print(try StatusJSON.text(document))
        }
        print(level == nil ? found : "\(record.mount): logs \(found) from now on, also after a restart.")
    }
}
