import ArgumentParser
import Basics
import Foundation
import Glibc
import ServerStorage
import Synchronization

struct BackupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup", abstract: "Create a backup of the running server, or update an earlier one.",
        discussion: """
            The directory is a complete backup at any time: the previous one until the new one is complete. The command may be \
            interrupted and repeated. On the same disk as the data, chunks are hard links, which protect against mistakes but \
            not against the loss of the disk; --copy copies their bytes. The backup of \
            another server, or of a later state of this one, is not replaced without --force. Run as root, the command works as the user to whom the data \
            belongs, so the backup's directory has to be that user's; one that does not exist is created for that user.
            """)

    @OptionGroup var place: PlaceOption
    @Option(help: ArgumentHelp("The backup's directory: missing, empty, or with an earlier backup.", valueName: "dir"))
    var to: String
    @Flag(help: "Copy the chunks even where hard links are possible.") var copy = false
    @Flag(help: "Replace the backup of another server, or of a later state of this one.") var force = false

    func run() async throws {
        let data = try place.requireDirectory(to: "backed up")
        guard !Self.isInside(to, data) else {
            throw Failure(
                "\(to) is in the data directory \(data). Choose a directory outside it, best on another disk.")
        }
        try createFolder(to, forOwnerOf: data)
        try await withStore(place) { store in
            let outcome = try await store.backUp(
                to: to, mayLink: !copy, force: force, progress: ProgressLine("chunks").show)
            print(
                "Backed up \(outcome.done) chunks, \(outcome.copied) of them new (\(ByteCount(outcome.copiedBytes))).")
            if outcome.lost > 0 {
                print(
                    "The files of \(outcome.lost) chunks are missing or damaged on the server, so they are not in the backup."
                )
            }
        }
    }
}

extension BackupCommand {
    /// Returns whether a path, which need not exist, is a folder or inside it, through symbolic links.
    private static func isInside(_ path: String, _ folder: String) -> Bool {
        func real(_ path: String) -> String {
            var url = URL(filePath: path).standardizedFileURL
            var rest: [String] = []
            while access(url.path(percentEncoded: false), F_OK) != 0, url.pathComponents.count > 1 {
                rest.insert(url.lastPathComponent, at: 0)
                url.deleteLastPathComponent()
            }
            url.resolveSymlinksInPath()
            return rest.reduce(url) { $0.appending(path: $1) }.path(percentEncoded: false)
        }
        let (inner, outer) = (real(path), real(folder))
        // The data directory itself is refused with its own words.
        return inner.hasPrefix(outer.hasSuffix("/") ? outer : outer + "/") && inner.count > outer.count + 1
    }
}

struct RestoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore", abstract: "Create a data directory from a backup.",
        discussion: """
            The data directory must be absent or empty. A backup does not know what was revoked after it was made: open \
            sign-in codes and the sessions of browsers are removed, and devices and published links are suspended until \
            you confirm them with `device confirm` and `link confirm`; --trust-devices confirms all of them. Devices \
            that have seen more than the backup has say so, and stop until `ubiquity reset` there, which loses no edit; \
            the others continue by themselves.
            """)

    @OptionGroup var place: PlaceOption
    @Option(help: ArgumentHelp("The backup.", valueName: "dir")) var from: String
    @Flag(help: "Share the chunks' files with the backup (hard links) instead of copying them.") var link = false
    @Flag(help: "Confirm every device and link of the backup.") var trustDevices = false

    func run() async throws {
        let data = try place.requireDirectory(to: "restored")
        do {
            try becomeOwner(of: data)
            let restore = ServerRestore(from: from, to: data, mayLink: link, trustsDevices: trustDevices)
            let outcome = try await restore.run(progress: ProgressLine("chunks").show)
            print("Restored \(counted(outcome.done, "chunk")). Start the server: ubiquity-server --data \(data)")
            if outcome.lost > 0 {
                print("The backup lacks \(counted(outcome.lost, "chunk")); devices that have them upload them again.")
            }
            try await withStore(place) { try await showAccess($0, of: data) }
        } catch let error as StorageError { throw Failure(error.message) }
    }
}

extension RestoreCommand {
    /// Shows the devices of the backup, and how to confirm them.
    private func showAccess(_ store: ServerStore, of data: String) async throws {
        let devices = try await store.devices.list()
        guard !devices.isEmpty else { return }
        print()
        try ListFormat.table.showDevices(devices)
        guard devices.contains(where: \.isSuspended) else { return }
        print(
            """

            Devices and links are suspended: the backup does not know which ones were revoked after it was made.
            Revoke what is lost:  ubiquity-server device revoke --data \(data) NUMBER
            Confirm the others:   ubiquity-server device confirm --data \(data) --all
            And the links:        ubiquity-server link confirm --data \(data) --all
            """)
    }
}

/// Prints the progress of an operation on a terminal, at most ten times a second.
final class ProgressLine: Sendable {
    private let unit: String
    private let limit = LineLimit()

    init(_ unit: String) { self.unit = unit }

    @Sendable func show(_ progress: CopyProgress) {
        let isOver = progress.done == progress.total
        guard limit.isDue(isOver) else { return }
        let end = isOver ? "\n" : ""
        let text = "\r\(progress.done) of \(progress.total) \(unit), \(ByteCount(progress.copiedBytes)) copied\(end)"
        FileHandle.standardError.write(Data(text.utf8))
    }
}

/// Limits how often progress is shown on a terminal: ten times a second. Elsewhere it is not shown.
final class LineLimit: Sendable {
    private let last = Mutex(ContinuousClock.now - .seconds(1))
    let isTerminal = isatty(STDERR_FILENO) == 1

    /// Whether to show progress now. The last line of an operation is always due.
    func isDue(_ isLast: Bool = false) -> Bool {
        guard isTerminal else { return false }
        return last.withLock { last in
            guard isLast || ContinuousClock.now - last > .milliseconds(100) else { return false }
            last = .now
            return true
        }
    }
}
