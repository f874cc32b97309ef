import ArgumentParser
import Basics
import CloudModel
import DaemonProtocol
import FoundationEssentials

/// `ubiquity collect`: frees the space of unneeded chunks.
struct CloudCollectCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "collect", abstract: "Free cloud space that is no longer used.",
        discussion: """
            For a cloud without a server, such as a directory: a server collects by itself. What documents, conflicts, versions \
            and deleted items of the last \(Retention.standard) need is kept. The first run proposes what it found to all devices; a run a \
            day later, on any of them, removes it. A mounted device does both by itself when more than a fifth of the cloud is \
            garbage.
            """)

    @Option(help: ArgumentHelp("The cloud (default: those of all mounts). A mount has to use it.", valueName: "url"))
    var cloud: String?

    @Flag(help: "Only show what is stored and what is garbage.")
    var dryRun = false

    @Flag(help: "Print the outcome as JSON.")
    var json = false

    /// A mount's outcome.
    private struct Outcome: Encodable {
        let mount: String
        let cloud: String
        let containers: [CollectedContainer]
    }

    /// The output of `--json`.
    private struct Document: Encodable {
        let format = 1
        let mounts: [Outcome]
    }

    func run() throws {
        var outcomes: [Outcome] = []
        var failures: [DaemonFailure] = []
        for (record, url) in try mounts() {
            var connection = try DaemonConnection.open(record)
            var display = LiveDisplay()
            let response = try connection.call(CollectRequest(dryRun: dryRun), watch: WatchRequest()) {
                if Terminal.isInteractive, let now = $0.mount.collection { display.show([Self.line(now)]) }
            }
            display.clear()
            outcomes.append(Outcome(mount: record.mount, cloud: url, containers: response.containers))
            failures += response.containers.compactMap(\.failure)
            if !json { Self.lines(response.containers, dryRun: dryRun).forEach { print($0) } }
        }
        if json { print(try StatusJSON.text(Document(mounts: outcomes))) }
        if let failure = CommandFailure(failures) { throw failure }
    }

    /// Returns the mounts of the selected clouds, each cloud once: all devices of a cloud collect the same garbage.
    private func mounts() throws -> [(record: MountRecord, cloud: String)] {
        let wanted = try cloud.map { try Self.normalized($0) }
        var found: [(record: MountRecord, cloud: String)] = []
        for group in try MountSelection([], .current()).groups {
            var connection = try DaemonConnection.open(group.record)
            let url = try connection.call(StatusRequest(paths: [])).mount.cloud.url
            guard wanted == nil || wanted == url, !found.contains(where: { $0.cloud == url }) else { continue }
            found.append((group.record, url))
        }
        if let wanted, found.isEmpty {
            throw CommandFailure(
                .notMounted, "no mount uses the cloud \(wanted)",
                advice:
                    "A device has to know what is needed: mount it with \"ubiquity mount --cloud \(wanted)\", then collect."
            )
        }
        return found
    }

    private static func normalized(_ text: String) throws -> String {
        do throws(DaemonFailure) {
            return try CloudAddress(text, currentDirectory: FileManager.default.currentDirectoryPath).description
        } catch { throw CommandFailure(.refused, error.message, advice: error.advice) }
    }

    static func line(_ now: CollectionStatus) -> String {
        let count = now.done > 0 ? " \(now.done)" : ""
        return "collecting \(printable(now.container)): \(now.stage)\(count)"
    }

    static func lines(_ containers: [CollectedContainer], dryRun: Bool) -> [String] {
        containers.map { container in
            let name = printable(container.container)
            guard container.failure == nil else { return "\(name): not collected." }
            var parts: [String] = []
            if container.removedChunks > 0 {
                parts.append("\(ByteCount(container.removedBytes)) removed")
            }
            parts.append("\(ByteCount(container.storedBytes)) stored")
            parts.append(
                "\(ByteCount(container.storedBytes - min(container.storedBytes, container.garbageBytes))) needed")
            parts.append("\(ByteCount(container.garbageBytes)) garbage")
            let since = container.proposedSince.map {
                " Proposed \(LocalTime.text($0)); run this again a day later to free it."
            }
            return "\(name): \(parts.joined(separator: ", ")).\(since ?? "")"
        }
    }
}
