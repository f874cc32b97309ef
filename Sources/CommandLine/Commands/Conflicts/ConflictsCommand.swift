import ArgumentParser
import Basics
import DaemonProtocol

/// `ubiquity conflicts`: lists documents changed on two devices at once, with every version.
struct ConflictsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "conflicts", abstract: "List documents that were changed on two devices at once.",
        discussion:
            "The newest version is current; the others are shown beside it until they are resolved (\"ubiquity resolve\") or deleted."
    )

    @Argument(help: "Only at or below this path (default: all mounts).", completion: .file())
    var path: String?

    @Flag(help: "Print JSON, whose format is stable (docs/STATUS.md).")
    var json = false

    private struct Document: Encodable {
        let format: Int
        let conflicts: [ConflictedItem]
    }

    func run() throws {
        var found: [(record: MountRecord, item: ConflictedItem)] = []
        for group in try MountSelection(path.map { [$0] } ?? [], .current()).groups {
            var connection = try DaemonConnection.open(group.record)
            let request = ConflictsRequest(path: group.paths.first ?? .root)
            let answer = try connection.call(request)
            found += answer.conflicts.map { (group.record, $0) }
        }
        if json {
            print(try StatusJSON.text(Document(format: StatusJSON.format, conflicts: found.map(\.item))))
        } else if found.isEmpty {
            print("No conflicts.")
        } else {
            for (record, item) in found { Self.lines(item, record, Terminal.style).forEach { print($0) } }
        }
    }

    static func lines(_ item: ConflictedItem, _ record: MountRecord, _ style: TextStyle) -> [String] {
        var table = TextTable([
            ("  VERSION", .left), ("DEVICE", .left), ("CHANGED", .left), ("SIZE", .right), ("", .left),
        ])
        table.append(row(item.current, "current"))
        for version in item.versions { table.append(row(version, record.display(version.path))) }
        return [style.bold(record.display(item.path))] + table.lines(style)
    }

    private static func row(_ side: ConflictSide, _ note: String) -> [TextTable.Cell] {
        ["  \(side.version)", printable(side.device), LocalTime.text(side.modified), "\(ByteCount(side.size))", note]
            .map { TextTable.Cell($0) }
    }
}
