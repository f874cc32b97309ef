import ArgumentParser
import DaemonProtocol
import FoundationEssentials

/// `ubiquity restore`: puts an older version back, or copies it to a file.
struct RestoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore", abstract: "Put an older version of a document back.",
        discussion: """
            What the document is now becomes a version itself, so a restore can be undone the same way. With --to the \
            version is copied and the document stays as it is. A deleted document is made anew.
            """)

    @Argument(help: "The document, or the path that it had.", completion: .file())
    var path: String

    @Option(help: ArgumentHelp("Which one: \"ubiquity versions\" lists them.", valueName: "version"))
    var version: String

    @Option(help: ArgumentHelp("Copy it to this new file instead.", valueName: "file"), completion: .file())
    var to: String?

    func run() throws {
        let place = try MountLocator.current().place(of: path)
        var connection = try DaemonConnection.open(place.record)
        let isDeleted = try VersionsCommand.list(place, &connection).isDeleted
        guard let target = to ?? (isDeleted ? path : nil) else {
            let request = RestoreRequest(path: place.path, version: version)
            guard case .done = try connection.call(.restore(request)) else {
                throw DaemonConnection.unexpectedAnswer(place.record)
            }
            return print("Restored version \(version) of \(place.record.display(place.path)).")
        }
        let request = FetchVersionRequest(path: place.path, version: version)
        guard case .fetchVersion(let answer) = try connection.call(.fetchVersion(request)) else {
            throw DaemonConnection.unexpectedAnswer(place.record)
        }
        try copy(answer.version.file, to: target)
        print("Copied version \(version) to \(printable(target)).")
    }

    private func copy(_ file: String, to target: String) throws(CommandFailure) {
        guard !FileManager.default.fileExists(atPath: target) else {
            throw CommandFailure(
                .failed, "there is a file of that name", path: target, advice: "Choose another with --to.")
        }
        do {
            try FileManager.default.copyItem(atPath: file, toPath: target)
            // The copy in the daemon's folder is only to be read.
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: target)
        } catch { throw CommandFailure(.failed, "the version could not be written (\(error))", path: target) }
    }
}
