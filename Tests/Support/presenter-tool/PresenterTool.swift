import Foundation
import Ubiquity

/// A program that coordinates, well or badly, for tests with several processes. Prints each event on a line.
///
/// - `presenter-tool present FILE [deaf] [yields] [slow GO]`: presents FILE. `deaf` never replies; `yields` lets the
///   bytes be evicted; `slow` stays in the first callback until the file GO exists.
/// - `presenter-tool versions FILE`: walks through the history of FILE as a program would, restores its oldest version
///   and removes the rest.
/// - `presenter-tool crowd FOLDER COUNT`: presents COUNT possibly nonexistent files of FOLDER.
/// - `presenter-tool measure FILE COUNT`: performs COUNT coordinated reads of FILE; prints the median in microseconds,
///   and the reads per second.
/// - `presenter-tool echo`: sends everything back that arrives on its standard input, a socket.
///   `presenter-tool bounce COUNT`: sends a message there and waits for its return, COUNT times; prints the same
///   figures as `measure`. No exchange between two processes is faster.
/// - `presenter-tool sync FILE ACTION …`: pauses, uploads and the like, in order; see `SyncActions`.
/// - `presenter-tool find FOLDER [ITEM]`: prints the names of the items in FOLDER, or of ITEM if it is in FOLDER.
/// - `presenter-tool fetch FILE`: starts a coordinated read of FILE on a queue; then each line `cancel` cancels it, and
///   each line `again` requests it again.
/// - `presenter-tool library ACTION ARGUMENTS …`: a single call of the library; see `LibraryActions`.
/// - `presenter-tool identity`: prints each change of the account's token, until its input ends.
/// - `presenter-tool store CONTAINER`: a key-value store; reads `set KEY VALUE`, `remove KEY`, `get KEY` and
///   `fill KEY COUNT BYTES`, and prints external changes.
/// - `presenter-tool hold read|write FILE GO`: stays in an accessor until the file GO exists.
@main
struct PresenterTool {
    static func main() async throws {
        let arguments = CommandLine.arguments
        switch arguments.dropFirst().first {
        case "present": try present(arguments)
        case "hold": try hold(arguments)
        case "fetch": fetch(URL(filePath: arguments[2]))
        case "versions": try versions(URL(filePath: arguments[2]))
        case "deleted": try restoreDeleted(in: URL(filePath: arguments[2]))
        case "purge": try purgeDeleted(in: URL(filePath: arguments[2]), arguments[3])
        case "sync": try await SyncActions(url: URL(filePath: arguments[2])).run(arguments.dropFirst(3))
        case "find": find(URL(filePath: arguments[2]), arguments.dropFirst(3))
        case "refind": refind(URL(filePath: arguments[2]))
        case "findonthread": findOnThread(URL(filePath: arguments[2]))
        case "resolve": try resolve(URL(filePath: arguments[2]))
        case "declare":
            try FileManager.default.declareUbiquitousPackageTypes(Set(arguments.dropFirst(2)))
            let types = try FileManager.default.ubiquitousPackageTypes()
            say(types.filter { arguments.contains($0) }.sorted().joined(separator: " "))
        case "undeclare": try FileManager.default.withdrawUbiquitousPackageTypes(Set(arguments.dropFirst(2)))
        case "crowd": crowd(arguments)
        case "measure": try measure(arguments)
        case "echo": echo()
        case "bounce": bounce(Int(arguments[2]) ?? 0)
        case "library": try await LibraryActions.run(arguments.dropFirst(2))
        case "identity": watchIdentity()
        case "store": serveStore(arguments[2])
        default: throw CocoaError(.featureUnsupported)
        }
    }

    static func say(_ text: String) { FileHandle.standardOutput.write(Data((text + "\n").utf8)) }

    private static func present(_ arguments: [String]) throws {
        let go = arguments.firstIndex(of: "slow").map { arguments[$0 + 1] }
        let unsaved = arguments.firstIndex(of: "unsaved").map { arguments[$0 + 1] }
        let observer = RecordingPresenter(
            URL(filePath: arguments[2]), isDeaf: arguments.contains("deaf"), yields: arguments.contains("yields"),
            go: go, unsaved: unsaved)
        NSFileCoordinator.addFilePresenter(observer)
        say("presenting")
        while readLine() != nil {}
        NSFileCoordinator.removeFilePresenter(observer)
    }

    private static func fetch(_ url: URL) {
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        let coordinator = NSFileCoordinator()
        let ask = {
            coordinator.coordinate(with: [.readingIntent(with: url)], queue: queue) { error in
                say((error as NSError?).map { "error \($0.code)" } ?? "read")
            }
        }
        ask()
        say("asked")
        // Runs immediately unless the queue waits for the bytes.
        queue.addOperation { say("free") }
        while let line = readLine() { if line == "cancel" { coordinator.cancel() } else { ask() } }
    }

    private static func crowd(_ arguments: [String]) {
        let folder = URL(filePath: arguments[2])
        let crowd = (0..<(Int(arguments[3]) ?? 0)).map { number in
            RecordingPresenter(
                folder.appending(path: "crowd \(getpid()) \(number)"), isDeaf: false, yields: false, go: nil)
        }
        for observer in crowd { NSFileCoordinator.addFilePresenter(observer) }
        say("presenting \(crowd.count)")
        while readLine() != nil {}
    }

    private static func hold(_ arguments: [String]) throws {
        var error: NSError?
        let url = URL(filePath: arguments[3])
        let accessor = { (url: URL) in
            say("held \(url.lastPathComponent)")
            wait(for: arguments[4])
        }
        if arguments[2] == "read" {
            NSFileCoordinator().coordinate(readingItemAt: url, error: &error, byAccessor: accessor)
        } else {
            NSFileCoordinator().coordinate(writingItemAt: url, error: &error, byAccessor: accessor)
        }
        say(error.map { "error \($0.code)" } ?? "done")
    }

    /// Waits until the test creates `file` to let this process continue.
    static func wait(for file: String) {
        while !FileManager.default.fileExists(atPath: file) { poll(nil, 0, 20) }
    }
}
