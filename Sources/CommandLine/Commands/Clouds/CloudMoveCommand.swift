import ArgumentParser
import Basics
import DaemonProtocol
import Glibc

/// `ubiquity cloud move`: moves a mount's documents to a different cloud.
struct CloudMoveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "move", abstract: "Move the documents of a mount to another cloud.",
        discussion: """
            Copies the mount's cloud with its history into TO, which is created if it does not exist, verifies every chunk, \
            and mounts again with TO, which the mount remembers. You can work meanwhile: your changes are copied, too. \
            Nothing is uploaded or downloaded again. The old cloud is only read, and stays as it is.

            If it is interrupted at any point, nothing is lost: run it again to continue. Sign in first for a server or \
            a bucket ("ubiquity login").

            Run the same command on each of your other devices afterwards. Published links are not copied.
            """)

    @Argument(help: ArgumentHelp("The new cloud: \(CloudKind.forms).", valueName: "to"))
    var target: String

    @Argument(help: "The mount, or any path in it; needed when there are several.", completion: .directory)
    var mount: String?

    @Flag(help: "Move although programs have files open in the mount: their later writes fail.")
    var force = false

    @Flag(help: "Print the outcome as JSON.") var json = false

    private struct Document: Encodable {
        let format = 1
        let mount: String
        let from: String
        let to: String
        let containers: Int
        let entries: Int
        let chunks: Int
        let bytes: UInt64
        let incompleteContents: Int
    }

    func run() throws {
        let locator = try MountLocator.current()
        let record = try MountSelection.single(mount, locator)
        let source = try DaemonRestart(record).status().cloud.url
        let move = try CloudMove(record: record, from: source, to: target)
        try move.refuse(locator.table)
        if !force { try refuseBusy(record, isCopied: false) }
        let first = try ShownCopy(from: source, to: move.target, isMove: true, isShown: !json).run()
        // Copies changes made during the first copy, which may have taken long, so the mount is away only for a moment.
        let second = try ShownCopy(from: source, to: move.target, isMove: true, isShown: !json).run()
        if !force { try refuseBusy(record, isCopied: true) }
        try move.switchCloud()
        if json {
            let document = Document(
                mount: record.mount, from: source, to: move.target, containers: second.containers,
                entries: first.copiedEntries + second.copiedEntries, chunks: first.chunks + second.chunks,
                bytes: first.bytes + second.bytes, incompleteContents: second.incompleteContents)
            return print(try StatusJSON.text(document))
        }
        report(record, source, move.target, first, second)
    }

    private func refuseBusy(_ record: MountRecord, isCopied: Bool) throws(CommandFailure) {
        let users = MountUsers(mount: record.mount, daemon: record.pid).all()
        guard let failure = CommandFailure(mount: record.mount, usedBy: users), let cause = failure.causes.first else {
            return
        }
        let again = "Close these files, and run the command again, or pass --force: later writes to them fail."
        throw CommandFailure(
            .refused, cause.message, path: record.mount,
            advice: isCopied ? "Everything is copied, but the mount still uses its old cloud. \(again)" : again)
    }

    private func report(
        _ record: MountRecord, _ source: String, _ target: String, _ first: CloudCopyState, _ second: CloudCopyState
    ) {
        let (from, to) = (printable(source), printable(target))
        print(
            """
            Moved \(record.mount) to \(to): \(second.doneEntries) entries of \(second.containers) containers, \
            \(ByteCount(second.doneBytes)) with all versions, are there and verified.
            On each other device, before it is used for changes: ubiquity cloud move '\(to)'
            The old cloud is kept, unchanged: \(from). Remove it once all devices have moved.
            """)
        if CloudKind(of: source)?.publishesLinks ?? false { print("Published links of the old server were not moved.") }
        guard second.incompleteContents > 0 else { return }
        Terminal.note(
            """
            \(second.incompleteContents) contents in the log have no bytes in \(from) any more. These are usually old \
            versions that were collected as garbage; "ubiquity check" on the mount finds documents among them.
            """)
    }
}

/// The refusals and the last step of a move.
struct CloudMove {
    let record: MountRecord
    let source: CloudAddress
    private let address: CloudAddress
    var target: String { address.description }

    init(record: MountRecord, from source: String, to target: String) throws(CommandFailure) {
        self.record = record
        do throws(DaemonFailure) {
            self.source = try CloudAddress(source, currentDirectory: "/")
            let read = try CloudAddress(target, currentDirectory: String(decoding: workingDirectory(), as: UTF8.self))
            // The daemon has a different working directory.
            if case .directory(let path) = read { address = .directory(path: absolute(path)) } else { address = read }
        } catch { throw CommandFailure(error) }
    }

    /// Refuses a target equal to the source, in its folder, or in the mount.
    func refuse(_ table: UbiquityMounts) throws(CommandFailure) {
        guard source != address else {
            throw CommandFailure(
                .refused, "the documents of \(record.mount) are in this cloud already", path: target)
        }
        guard case .directory(let folder) = address else { return }
        try MountNesting(mount: record.mount, table: table).refuse(cloudFolder: folder)
        guard case .directory(let old) = source else { return }
        for (inner, outer) in [(folder, old), (old, folder)] where MountNesting.isInside(inner, outer) {
            throw CommandFailure(
                .refused, "one of the clouds would be inside the other, \(inner) in \(outer)", path: target,
                advice: "Choose a folder outside it.")
        }
    }

    /// Lets the daemon mount again with the new cloud, and waits until it has.
    func switchCloud() throws(CommandFailure) {
        try verify(DaemonRestart(record).move(to: target))
    }

    private func verify(_ status: MountStatus) throws(CommandFailure) {
        guard (try? CloudAddress(status.cloud.url, currentDirectory: "/")) != address else { return }
        if let failure = status.errors.first(where: { $0.path == target }) { throw CommandFailure(failure) }
        throw CommandFailure(
            .failed, "the mount is with its old cloud", path: record.mount,
            advice: "Run the command again; see \(record.state)/daemon.log.")
    }
}
