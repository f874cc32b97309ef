import ArgumentParser
import Basics
import DaemonProtocol
import Glibc

/// `ubiquity cloud copy`: moves house, between clouds of any kind.
struct CloudCopyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "copy", abstract: "Copy a cloud into another one.",
        discussion: """
            Copies all containers with their history into TO, which is created if it does not exist. FROM is only read. \
            A copy that was interrupted continues when you run the command again, and one that is repeated adds what is \
            new. Each chunk is verified.

            To move a mount to another cloud use "ubiquity cloud move", which copies, too. Published links are not copied.

            "ubiquity status --json" shows the address of a mount's cloud.
            """)

    @Argument(
        help: ArgumentHelp("The cloud to copy: \(CloudKind.forms).", valueName: "from"))
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
        let result = try ShownCopy(from: source, to: target, isShown: !json).run()
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

    private static func sentence(_ state: CloudCopyState, _ target: String) -> String {
        guard state.copiedEntries > 0 || state.chunks > 0 else { return "\(printable(target)) is up to date." }
        return """
            Copied \(state.copiedEntries) entries and \(state.chunks) chunks (\(ByteCount(state.bytes))) of \
            \(state.containers) containers to \(printable(target)).
            """
    }
}
