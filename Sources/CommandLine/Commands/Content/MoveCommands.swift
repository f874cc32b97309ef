import ArgumentParser
import DaemonProtocol

/// `ubiquity move-in`: moves a document of this machine into the cloud.
struct MoveInCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "move-in", abstract: "Move a file or folder of this machine into the cloud.",
        discussion: """
            Coordinated with programs that use the document. The item is durable at its new place before the original is \
            removed; if anything fails the original stays. An existing document is never replaced.
            """)

    @Argument(help: "What to move; outside all mounts.", completion: .file())
    var source: String

    @Argument(help: "The destination in a mount; if it is a folder, the item is moved into it.", completion: .file())
    var destination: String

    func run() throws {
        let locator = try MountLocator.current()
        guard !locator.isInMount(source) else {
            throw CommandFailure(.refused, "it is already in the cloud", path: source, advice: "Use mv.")
        }
        let original = rawArgument(source)
        let target = ShownMove.target(of: original, at: rawArgument(destination))
        let place = try locator.place(at: target)
        guard place.path.components.count > 1 else {
            throw CommandFailure(
                .refused, "documents must be in a container", path: String(decoding: target, as: UTF8.self),
                advice: "Move it to \(place.record.mount)/CloudDocs/Documents, for example.")
        }
        var connection = try DaemonConnection.open(place.record)
        try ShownMove.holding(place.path, [], &connection) { () throws(CommandFailure) in
            try ShownMove(from: original, to: target).run()
        }
        print("Moved to \(place.record.display(place.path)).")
    }
}

/// `ubiquity move-out`: moves a document out of the cloud, on all devices.
struct MoveOutCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "move-out", abstract: "Move a document out of the cloud, to this machine alone.",
        discussion: """
            Its bytes are downloaded first. The document is then deleted from the cloud and from all other devices. It is \
            durable at its new place before the original is removed. An existing file is never replaced.
            """)

    @Argument(help: "What to move; in a mount.", completion: .file())
    var source: String

    @Argument(
        help: "The destination outside all mounts; if it is a folder, the item is moved into it.", completion: .file())
    var destination: String

    func run() throws {
        let locator = try MountLocator.current()
        let place = try locator.place(of: source)
        guard place.path.components.count > 1 else {
            throw CommandFailure(
                .refused, "a container cannot be moved out as a whole", path: source,
                advice: "Move its contents instead.")
        }
        let original = rawArgument(source)
        let target = ShownMove.target(of: original, at: rawArgument(destination))
        let shown = String(decoding: target, as: UTF8.self)
        guard !locator.isInMount(at: target) else {
            throw CommandFailure(.refused, "the destination is in the cloud too", path: shown, advice: "Use mv.")
        }
        var connection = try DaemonConnection.open(place.record)
        let download = DownloadRequest(paths: [place.path], wait: true)
        var display = LiveDisplay()
        let outcomes = try connection.call(download, watch: WatchRequest()) {
            display.show(StatusText.progress($0.mount))
        }.outcomes
        display.clear()
        if let failure = CommandFailure(outcomes.compactMap { $0.failure?.located(in: place.record) }) {
            throw failure
        }
        try ShownMove.holding(place.path, [.forMoving], &connection) { () throws(CommandFailure) in
            try ShownMove(from: original, to: target).run()
        }
        print("Moved to \(printable(shown)).")
    }
}
