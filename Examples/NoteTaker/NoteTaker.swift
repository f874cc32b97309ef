import Foundation
import Ubiquity

/// Takes notes. `NoteTaker FILE` keeps a note open and reads commands; with a command it runs only that command.
@main
struct NoteTaker {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count > 1 else {
            return say(
                """
                NoteTaker FILE [show | add TEXT | state | resolve]: a note. Without a command: add TEXT, save, show, quit, line by line.
                NoteTaker --list [--live]: all notes. NoteTaker --setting KEY [VALUE], --settings: what all devices remember.
                """
            )
        }
        switch arguments[1] {
        case "--list": return try Notebook.list(goesOn: arguments.contains("--live")) { say($0) }
        case "--setting" where arguments.count > 2:
            return Notebook.setting(arguments[2], arguments.dropFirst(3).first) { say($0) }
        case "--settings": return Notebook.watchSettings { say($0) }
        default: break
        }
        let url = URL(filePath: arguments[1])
        switch arguments.dropFirst(2).first {
        case nil: try await keepOpen(url)
        case "show": say(try await show(url))
        case "add": try await add(arguments.dropFirst(3).joined(separator: " "), to: url)
        case "state": say(try state(url))
        case "resolve": try resolve(url)
        case let command?: say("There is no command “\(command)”.")
        }
    }

    private static func say(_ text: String) { FileHandle.standardOutput.write(Data((text + "\n").utf8)) }

    // MARK: Single commands

    private static func show(_ url: URL) async throws -> String {
        try await NSFileCoordinator().coordinate(readingItemAt: url) { try String(contentsOf: $0, encoding: .utf8) }
    }

    private static func add(_ text: String, to url: URL) async throws {
        try await NSFileCoordinator().coordinate(writingItemAt: url, options: .forMerging) { url in
            let old = FileManager.default.fileExists(atPath: url.path) ? try Data(contentsOf: url) : Data()
            try (old + Data("\(text)\n".utf8)).write(to: url)
        }
    }

    private static func state(_ url: URL) throws -> String {
        guard FileManager.default.isUbiquitousItem(at: url) else { return "on this machine only" }
        let values = try url.promisedItemResourceValues(forKeys: [
            .ubiquitousItemDownloadingStatusKey, .ubiquitousItemIsUploadedKey, .ubiquitousItemHasUnresolvedConflictsKey,
        ])
        let isHere = values.ubiquitousItemDownloadingStatus != .notDownloaded
        return (isHere ? "here" : "in the cloud") + (values.ubiquitousItemIsUploaded == true ? ", uploaded" : "")
            + (values.ubiquitousItemHasUnresolvedConflicts == true ? ", in conflict" : "")
    }

    /// Keeps every line that any version has.
    private static func resolve(_ url: URL) throws {
        let versions = NSFileVersion.unresolvedConflictVersionsOfItem(at: url) ?? []
        guard !versions.isEmpty else { return say("There is no conflict.") }
        var coordination: NSError?
        var reading: NSError?
        var failure: (any Error)?
        let coordinator = NSFileCoordinator()
        coordinator.coordinate(writingItemAt: url, options: .forMerging, error: &coordination) { url in
            do {
                var lines = try lines(of: url)
                // A coordinated read downloads a version that is not local.
                for version in versions {
                    coordinator.coordinate(readingItemAt: version.url, options: .withoutChanges, error: &reading) {
                        do { lines += try Self.lines(of: $0).filter { !lines.contains($0) } } catch { failure = error }
                    }
                }
                guard failure == nil, reading == nil else { return }
                try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: url)
                for version in versions { version.isResolved = true }
                try NSFileVersion.removeOtherVersionsOfItem(at: url)
            } catch { failure = error }
        }
        if let failure = failure ?? reading ?? coordination { throw failure }
    }

    private static func lines(of url: URL) throws -> [String] {
        try String(contentsOf: url, encoding: .utf8).split(separator: "\n").map(String.init)
    }

    // MARK: An open note

    private static func keepOpen(_ url: URL) async throws {
        let note = Note(url) { say($0) }
        try await note.open()
        say("open")
        while let line = readLine() {
            let words = line.split(separator: " ", maxSplits: 1)
            switch words.first {
            case "add": note.append(words.count > 1 ? String(words[1]) : "")
            case "save": try await note.save()
            case "show": say(note.text)
            case "quit": return try await note.close()
            default: say("There is no such command.")
            }
        }
        try await note.close()
    }
}
