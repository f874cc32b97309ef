import ArgumentParser
import Basics
import Foundation
import Glibc
import ServerStorage
import Synchronization

struct BackupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup", abstract: "Make a backup while the server works, or bring an earlier one up to date.",
        discussion: """
            The directory is a whole backup at any moment: the one before until the new one is whole, so it may be \
            interrupted and begun again. On the disk of the data the chunks are second names (hard links), which guards \
            against mistakes and not against the loss of the disk; --copy gives them bytes of their own.
            """)

    @OptionGroup var data: DataOption
    @Option(help: ArgumentHelp("Where to; absent, empty, or with an earlier backup.", valueName: "dir")) var to: String
    @Flag(help: "Copy the chunks even where second names would do.") var copy = false

    func run() async throws {
        try await withStore(data) { store in
            let outcome = try await store.backUp(to: to, mayLink: !copy, progress: ProgressLine("chunks").show)
            print(
                "Backed up \(outcome.done) chunks, \(outcome.copied) of them new (\(ByteCount(outcome.copiedBytes))).")
            if outcome.lost > 0 {
                print(
                    "The files of \(outcome.lost) chunks are gone or damaged on the server, and so are not in the backup."
                )
            }
        }
    }
}

struct RestoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore", abstract: "Make a data directory of a backup.",
        discussion: """
            The data directory must be absent or empty. Devices that have seen more than the backup has say so, and stop \
            until `ubiquity reset` there, which loses no edit; the others go on by themselves.
            """)

    @OptionGroup var data: DataOption
    @Option(help: ArgumentHelp("The backup.", valueName: "dir")) var from: String
    @Flag(help: "Share the chunks' files with the backup (hard links) instead of copying them.") var link = false

    func run() async throws {
        do {
            let restore = ServerRestore(from: from, to: data.data, mayLink: link)
            let outcome = try await restore.run(progress: ProgressLine("chunks").show)
            print("Restored \(outcome.done) chunks. Start the server: ubiquity-server --data \(data.data)")
            if outcome.lost > 0 {
                print("The backup lacks \(outcome.lost) chunks; devices that have them send them again.")
            }
        } catch let error as StorageError { throw Failure(error.message) }
    }
}

/// Says on a terminal how far something is, at most ten times a second.
final class ProgressLine: Sendable {
    private let unit: String
    private let last = Mutex(ContinuousClock.now - .seconds(1))

    init(_ unit: String) { self.unit = unit }

    @Sendable func show(_ progress: CopyProgress) {
        guard isatty(STDERR_FILENO) == 1 else { return }
        let isDue = last.withLock { last in
            guard ContinuousClock.now - last > .milliseconds(100) || progress.done == progress.total else {
                return false
            }
            last = .now
            return true
        }
        guard isDue else { return }
        let end = progress.done == progress.total ? "\n" : ""
        let text = "\r\(progress.done) of \(progress.total) \(unit), \(ByteCount(progress.copiedBytes)) copied\(end)"
        FileHandle.standardError.write(Data(text.utf8))
    }
}
