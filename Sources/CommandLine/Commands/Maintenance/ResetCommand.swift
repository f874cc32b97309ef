import ArgumentParser
import DaemonProtocol

/// `ubiquity reset`: rebuilds what this device knows from the cloud.
struct ResetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reset", abstract: "Rebuild this device's state from the cloud.",
        discussion: """
            For a device that is stuck. This version does not do it by itself yet: it answers what to do by hand so that no \
            edit is lost.
            """)

    @Argument(help: "The mount, or any path in it; needed when there are several.", completion: .directory)
    var path: String?

    @Flag(help: "Do not ask.")
    var yes = false

    func run() throws {
        let record = try MountSelection.single(path, .current())
        guard yes || Terminal.confirms("Rebuild the state of \(record.mount) from the cloud?") else {
            throw CommandFailure(.refused, "not reset", path: record.mount, advice: "Confirm it, or say --yes.")
        }
        var connection = try DaemonConnection.open(record)
        guard case .reset(let answer) = try connection.call(.reset(ResetRequest())) else {
            throw DaemonConnection.unexpectedAnswer(record)
        }
        print("Reset \(record.mount); kept \(counted(answer.keptEdits, "edit")). The old state: \(answer.bundle)")
    }
}
