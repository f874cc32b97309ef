import ArgumentParser
import Basics
import DaemonProtocol
import Glibc

/// `ubiquity cloud copy`: moves house, from one cloud to another of any kind.
struct CloudCopyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "copy", abstract: "Copy a cloud into another one.",
        discussion: """
            Copies all containers with their history into TO, which is created if it does not exist. FROM is only read. \
            A copy that was interrupted continues when you run the command again, and one that is repeated adds what is \
            new. Each chunk is verified.

            To move a device, wait until "ubiquity sync --wait" has uploaded its edits, run this command once more, then: \
            ubiquity unmount; ubiquity mount --cloud TO. Nothing is uploaded or downloaded again. Move all devices: an \
            edit that a device sends to FROM later is not in TO. Published links are not copied.

            "ubiquity status --json" shows the address of a mount's cloud.
            """)

    @Argument(
        help: ArgumentHelp("The cloud to copy: file:///DIR, http(s)://HOST or s3://BUCKET/PREFIX.", valueName: "from"))
    var source: String

    @Argument(help: ArgumentHelp("The cloud to copy into.", valueName: "to"))
    var target: String

    @Flag(help: "Print JSON.") var json = false

    private struct Document: Encodable {
        let format = 1
        let containers: Int
        let entries: Int
        let chunks: Int
        let bytes: UInt64
        let incompleteContents: Int
    }

    func run() throws {
        let result = try copy()
        if json {
            let document = Document(
                containers: result.containers, entries: result.copiedEntries, chunks: result.chunks,
                bytes: result.bytes, incompleteContents: result.incompleteContents)
            return print(try StatusJSON.text(document))
        }
        print(Self.sentence(result, target))
        guard result.incompleteContents > 0 else { return }
        Terminal.note(
            """
            \(result.incompleteContents) contents in the log have no bytes in \(source) any more. These are usually old \
            versions that were collected as garbage; "ubiquity check" on a mount finds documents among them.
            """)
    }

    private func copy() throws -> CloudCopyState {
        var display = LiveDisplay()
        var result: CloudCopyState?
        var failure: DaemonFailure?
        let program = try DaemonLauncher(arguments: [], state: "").program
        try HelperProgram(path: program).run(["copy-cloud", "--", source, target]) { line in
            guard let message = try? ControlFrame.decode(CloudCopyMessage.self, from: line) else { return }
            if let progress = message.progress, !json { display.show([Self.line(progress)]) }
            result = message.result ?? result
            failure = message.failure ?? failure
        }
        display.clear()
        if let failure { throw CommandFailure(failure) }
        guard let result else {
            throw CommandFailure(.failed, "the copy ended early", path: target, advice: "Run it again to continue.")
        }
        return result
    }

    private static func line(_ state: CloudCopyState) -> String {
        let place = state.container.map { "\(printable($0)), entry \(state.entries)" } ?? "connecting"
        return "\(place): \(state.copiedEntries) entries, \(state.chunks) chunks, \(ByteCount(state.bytes)) copied"
    }

    private static func sentence(_ state: CloudCopyState, _ target: String) -> String {
        guard state.copiedEntries > 0 || state.chunks > 0 else { return "\(printable(target)) is up to date." }
        return """
            Copied \(state.copiedEntries) entries and \(state.chunks) chunks (\(ByteCount(state.bytes))) of \
            \(state.containers) containers to \(printable(target)).
            """
    }
}
