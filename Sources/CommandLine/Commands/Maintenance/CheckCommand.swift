import ArgumentParser
import Basics
import DaemonProtocol

/// `ubiquity check`: verifies what this device keeps.
struct CheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Verify the bytes and records on this device.",
        discussion: """
            Holds the database against itself, and every record against the size of its bytes. Exit status 7 when something \
            is wrong; nothing is changed.
            """)

    @Argument(help: "The mount, or any path in it (default: all mounts).", completion: .directory)
    var path: String?

    func run() throws {
        var problems: [DaemonFailure] = []
        for group in try MountSelection(path.map { [$0] } ?? [], .current()).groups {
            var connection = try DaemonConnection.open(group.record)
            guard case .check(let answer) = try connection.call(.check(CheckRequest())) else {
                throw DaemonConnection.unexpectedAnswer(group.record)
            }
            let scope = "\(counted(answer.checkedItems, "item")), \(ByteCount(answer.checkedBytes))"
            print("\(group.record.mount): \(scope), \(counted(UInt64(answer.problems.count), "problem")).")
            problems += answer.problems.map { $0.located(in: group.record) }
        }
        if let failure = CommandFailure(found: problems) { throw failure }
    }
}

extension CommandFailure {
    /// What a check found; nil when it found nothing.
    init?(found problems: [DaemonFailure]) {
        guard !problems.isEmpty else { return nil }
        status = .problemsFound
        causes = problems
    }
}
