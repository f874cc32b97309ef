import ArgumentParser
import DaemonProtocol

/// `ubiquity diagnose`: the inner state of the daemon, as text to read or to send.
struct DiagnoseCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diagnose", abstract: "Print the daemon's inner state.",
        discussion: "Names and contents of documents are not part of it, but for names in messages about errors.")

    @Argument(help: "The mount, or any path in it (default: all mounts).", completion: .directory)
    var path: String?

    func run() throws {
        for group in try MountSelection(path.map { [$0] } ?? [], .current()).groups {
            var connection = try DaemonConnection.open(group.record)
            guard case .diagnose(let answer) = try connection.call(.diagnose(DiagnoseRequest())) else {
                throw DaemonConnection.unexpectedAnswer(group.record)
            }
            print(answer.report)
        }
    }
}
