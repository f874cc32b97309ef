import ArgumentParser
import Basics
import CloudModel
import DaemonProtocol

/// `ubiquity deleted`: lists restorable deleted items.
struct DeletedCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "deleted",
        abstract: "List deleted documents and folders that can be restored, or remove them for good.",
        discussion: """
            Lists what any device deleted in the last \(Retention.standard), the newest first, with its old path, when and by which device it was \
            deleted. A folder that was removed with its contents is one line. "ubiquity restore PATH" brings an item back. \
            Needs no network.

            --purge removes them for good, with their earlier versions: no device can restore them any more. A server frees immediately \
            what no other document, version or link needs; a directory or a bucket by "ubiquity collect", a day later. A document that \
            another device has edited since, even without the network, comes back with that edit.
            """)

    @Argument(
        help: "Only what was at or below this path, which may itself be gone (default: all mounts).",
        completion: .directory)
    var path: String?

    @Option(help: ArgumentHelp("List at most this many; 0 for all.", valueName: "count"))
    var limit: UInt64 = 100

    @Flag(help: "Remove the items for good, instead of listing them.")
    var purge = false

    @Option(
        help: ArgumentHelp(
            "With --purge: only what was deleted longer ago than this, such as 12h, 7d or 2w.", valueName: "time"),
        transform: LinkLifetime.init)
    var olderThan: LinkLifetime?

    @Flag(help: "With --purge: do not ask before removing.")
    var yes = false

    @Flag(help: "Print JSON, whose format is stable (docs/STATUS.md).")
    var json = false

    func validate() throws {
        guard purge || (olderThan == nil && !yes) else {
            throw ValidationError("--older-than and --yes require --purge.")
        }
    }

    private struct Document: Encodable {
        let format = 1
        let items: [Located]
        let isComplete: Bool
    }

    /// An entry with its path as a user would type it.
    struct Located: Encodable {
        let mount: String
        let entry: DeletedEntry
        let shownPath: String

        private enum CodingKeys: CodingKey { case mount, itemID, path, kind, deleted, device, size, items }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(mount, forKey: .mount)
            try container.encode(entry.itemID, forKey: .itemID)
            try container.encode(entry.path, forKey: .path)
            try container.encode(entry.kind, forKey: .kind)
            try container.encode(entry.deleted, forKey: .deleted)
            try container.encode(entry.device, forKey: .device)
            try container.encodeIfPresent(entry.size, forKey: .size)
            try container.encodeIfPresent(entry.items, forKey: .items)
        }
    }

    func run() throws {
        if purge {
            let purge = PurgedItems(path: path, olderThan: olderThan?.seconds, json: json)
            return try purge.remove(asking: !yes)
        }
        var items: [Located] = []
        var isComplete = true
        for group in try MountSelection(path.map { [$0] } ?? [], .current()).groups {
            var connection = try DaemonConnection.open(group.record)
            var next: String?
            repeat {
                let room = limit == 0 ? 200 : limit - UInt64(items.count)
                guard room > 0 else {
                    isComplete = false
                    break
                }
                let request = DeletedRequest(path: group.paths.first ?? .root, after: next, limit: room)
                let answer = try connection.call(request)
                items += answer.items.map {
                    Located(mount: group.record.mount, entry: $0, shownPath: group.record.display($0.path))
                }
                next = answer.next
            } while next != nil
        }
        if json { return print(try StatusJSON.text(Document(items: items, isComplete: isComplete))) }
        Self.lines(items, Terminal.style).forEach { print($0) }
        if !isComplete { Terminal.note("the newest \(items.count) are listed; --limit 0 lists all") }
    }

    static func lines(_ items: [Located], _ style: TextStyle) -> [String] {
        guard !items.isEmpty else { return ["Nothing was deleted in the last \(Retention.standard)."] }
        var table = TextTable([
            ("DELETED", .left), ("DEVICE", .left), ("ITEMS", .right), ("SIZE", .right), ("PATH", .left),
        ])
        for item in items {
            let isFolder = item.entry.kind == .folder || item.entry.kind == .package
            let cells = [
                LocalTime.text(item.entry.deleted), printable(item.entry.device),
                isFolder ? item.entry.items.map(String.init) ?? "many" : "",
                item.entry.size.map { "\(ByteCount($0))" } ?? "", item.shownPath + (isFolder ? "/" : ""),
            ]
            table.append(cells.map { TextTable.Cell($0) })
        }
        return table.lines(style)
    }
}
