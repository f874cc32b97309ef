import ArgumentParser
import DaemonProtocol
import FoundationEssentials

/// `ubiquity restore`: restores a deleted item or an older version, or copies a version to a file.
struct RestoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore", abstract: "Restore a deleted item, or an older version of a document.",
        discussion: """
            Without --version, brings back the document or folder that was deleted last at PATH, a folder with everything that was \
            removed with it. Names, structure and attributes return at once, without the network; bytes are downloaded when \
            something opens them. Of a folder that exists, what was deleted last in it is restored. It returns to its old place, together with missing folders above it, or to --to in the same \
            container. If the name is taken, it gets " 2". \"ubiquity deleted\" lists what can be restored.

            With --since, everything at or below the PATHs (by default, in all mounts) that was deleted in that time.

            With --version, restores an older version of a document or package. The present content becomes a version itself, so a restore \
            can be undone the same way. With --to the version is copied and the document stays as it is. For a deleted document, \
            the version is copied to PATH.
            """)

    @Argument(help: "The documents or folders, or the paths that they had.", completion: .file())
    var paths: [String] = []

    @Option(
        help: ArgumentHelp("Everything that was deleted in this time, such as 30m, 1h or 7d.", valueName: "time"),
        transform: LinkLifetime.init)
    var since: LinkLifetime?

    @Option(help: ArgumentHelp("Which version: \"ubiquity versions\" lists them.", valueName: "version"))
    var version: String?

    @Option(
        help: ArgumentHelp(
            "Which deleted item, if several had that path: its itemID from \"ubiquity deleted --json\".",
            valueName: "id"))
    var item: String?

    @Option(
        help: ArgumentHelp(
            "Restore to this folder or new name, or copy the version to this new file.", valueName: "path"),
        completion: .file())
    var to: String?

    @Flag(help: "Print what was restored as JSON.")
    var json = false

    func validate() throws {
        if version != nil, item != nil {
            throw ValidationError("--item and --version exclude each other.")
        }
        guard since == nil || (version == nil && item == nil && to == nil) else {
            throw ValidationError("--since goes with PATHs only.")
        }
        guard since != nil || !paths.isEmpty else { throw ValidationError("Name what to restore, or pass --since.") }
        guard paths.count < 2 || (version == nil && item == nil) else {
            throw ValidationError("--version and --item restore one PATH.")
        }
    }

    func run() throws {
        let locator = try MountLocator.current()
        if let since { return try RestoredItems(json: json).restore(paths, deletedIn: since.seconds) }
        if paths.count > 1 {
            let places = try paths.map { try locator.place(of: $0) }
            return try RestoredItems(json: json).restore(places, to: try target(locator))
        }
        guard let path = paths.first else { return }
        let place = try locator.place(of: path)
        var connection = try DaemonConnection.open(place.record)
        guard let version else { return try restoreDeleted(place, locator, &connection) }
        let isDeleted = try VersionsCommand.list(place, &connection).isDeleted
        guard let target = to ?? (isDeleted ? path : nil) else {
            let request = RestoreRequest(path: place.path, version: version)
            _ = try connection.call(request)
            return try report(
                "Restored version \(version) of \(place.record.display(place.path)).", path: path, items: 1)
        }
        let request = FetchVersionRequest(path: place.path, version: version)
        let answer = try connection.call(request)
        if isDeleted, to == nil { try makeFolder(of: target) }
        try copy(answer.version.file, to: target)
        try report("Copied version \(version) to \(printable(target)).", path: target, items: 1)
    }

    private func restoreDeleted(
        _ place: MountLocator.Place, _ locator: MountLocator, _ connection: inout DaemonConnection
    ) throws {
        let target = try target(locator)
        guard target.map({ $0.record == place.record }) ?? true else {
            throw CommandFailure(
                .failed, "a deleted item can be restored only in its own mount", path: to,
                advice: "Restore it there, then copy it. One version of a document: --version.")
        }
        var display = LiveDisplay()
        let request = RestoreDeletedRequest(path: place.path, itemID: item, to: target?.path)
        let restored = try connection.call(request, watch: WatchRequest()) {
            if Terminal.isInteractive, let work = $0.mount.work { display.show([StatusText.line(work)]) }
        }
        display.clear()
        let shown = place.record.display(restored.path)
        try report(RestoredItems.sentence(shown, items: restored.items), path: shown, items: restored.items)
        guard restored.missing > 0 else { return }
        throw CommandFailure(
            .failed, "\(counted(restored.missing, "item")) could not be restored: their folder changed meanwhile",
            path: shown, advice: "\"ubiquity deleted\" lists them.")
    }

    private func target(_ locator: MountLocator) throws -> MountLocator.Place? {
        try to.map { try locator.place(of: $0) }
    }

    private struct Outcome: Encodable {
        let format = 1
        let path: String
        let items: UInt64
    }

    private func report(_ sentence: String, path: String, items: UInt64) throws {
        print(json ? try StatusJSON.text(Outcome(path: path, items: items)) : sentence)
    }

    /// Creates the target's folder, which may have been deleted together with the document.
    private func makeFolder(of target: String) throws(CommandFailure) {
        let folder = target.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
        guard !folder.isEmpty else { return }
        do {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        } catch { throw CommandFailure(.failed, "cannot make the folder: \(plainReason(error))", path: folder) }
    }

    private func copy(_ file: String, to target: String) throws(CommandFailure) {
        guard !FileManager.default.fileExists(atPath: target) else {
            throw CommandFailure(
                .failed, "there is a file of that name", path: target, advice: "Choose another with --to.")
        }
        do {
            try FileManager.default.copyItem(atPath: file, toPath: target)
            try makeWritable(target)
        } catch { throw CommandFailure(.failed, "cannot write the version: \(plainReason(error))", path: target) }
    }

    /// Makes a copy writable: the original in the daemon's directory is read-only, and so is each file of a package.
    private func makeWritable(_ target: String) throws {
        let files = FileManager.default
        guard try files.attributesOfItem(atPath: target)[.type] as? FileAttributeType == .typeDirectory else {
            return try files.setAttributes([.posixPermissions: 0o644], ofItemAtPath: target)
        }
        for path in try files.subpathsOfDirectory(atPath: target).map({ "\(target)/\($0)" }) {
            let attributes = try files.attributesOfItem(atPath: path)
            guard attributes[.type] as? FileAttributeType == .typeRegular else { continue }
            let isProgram = (attributes[.posixPermissions] as? Int ?? 0) & 0o100 != 0
            try files.setAttributes([.posixPermissions: isProgram ? 0o755 : 0o644], ofItemAtPath: path)
        }
    }
}
