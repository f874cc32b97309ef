import ArgumentParser
import DaemonProtocol

/// `ubiquity move-in`: moves a document of this machine into the cloud.
struct MoveInCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "move-in", abstract: "Move a file or folder of this machine into the cloud.",
        discussion: """
            Coordinated with programs that use the document. What is moved is on the disk before its old place is given \
            up; if anything fails it is where it was. An existing document is never replaced.
            """)

    @Argument(help: "What to move; in no mount.", completion: .file())
    var source: String

    @Argument(help: "Where to, in a mount; into it if it is a folder.", completion: .file())
    var destination: String

    func run() throws {
        let locator = try MountLocator.current()
        guard !locator.isInMount(source) else {
            throw CommandFailure(.refused, "this is in the cloud already", path: source, advice: "Use mv.")
        }
        let target = DocumentMove.target(of: source, at: destination)
        let place = try locator.place(of: target)
        guard place.path.components.count > 1 else {
            throw CommandFailure(
                .refused, "documents live in containers, not beside them", path: target,
                advice: "Move it to \(place.record.mount)/CloudDocs/Documents, for example.")
        }
        var connection = try DaemonConnection.open(place.record)
        try DocumentMove.holding(place.path, [], &connection) { () throws(CommandFailure) in
            try DocumentMove(from: source, to: target).run()
        }
        print("Moved to \(place.record.display(place.path)).")
    }
}

/// `ubiquity move-out`: moves a document out of the cloud, on all devices.
struct MoveOutCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "move-out", abstract: "Move a document out of the cloud, to this machine alone.",
        discussion: """
            Its bytes are fetched first. It then leaves the cloud, and so every other device. What is moved is on the \
            disk before its old place is given up. An existing file is never replaced.
            """)

    @Argument(help: "What to move; in a mount.", completion: .file())
    var source: String

    @Argument(help: "Where to, in no mount; into it if it is a folder.", completion: .file())
    var destination: String

    func run() throws {
        let locator = try MountLocator.current()
        let place = try locator.place(of: source)
        guard place.path.components.count > 1 else {
            throw CommandFailure(
                .refused, "a container cannot be moved out as a whole", path: source,
                advice: "Move what is in it.")
        }
        let target = DocumentMove.target(of: source, at: destination)
        guard !locator.isInMount(target) else {
            throw CommandFailure(.refused, "the destination is in the cloud too", path: target, advice: "Use mv.")
        }
        var connection = try DaemonConnection.open(place.record)
        let download = DownloadRequest(paths: [place.path], wait: true)
        let outcomes = try connection.call(download).outcomes
        if let failure = CommandFailure(outcomes.compactMap { $0.failure?.located(in: place.record) }) {
            throw failure
        }
        try DocumentMove.holding(place.path, [.forMoving], &connection) { () throws(CommandFailure) in
            try DocumentMove(from: source, to: target).run()
        }
        print("Moved to \(target).")
    }
}
