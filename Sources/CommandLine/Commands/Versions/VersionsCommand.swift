import ArgumentParser
import Basics
import CloudModel
import DaemonProtocol

/// `ubiquity versions`: lists the versions of a document; removes versions of its history.
struct VersionsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "versions", abstract: "List the versions of a document.",
        discussion: """
            Each content that reached the cloud is a version. When it is replaced it stays in the history for \(Retention.standard), the \
            newest 10 of a document. The bytes of versions are in the cloud: listing them needs no network, \
            \"ubiquity restore\" does. For a deleted document, name the path that it had.

            A package has a version for each state that it had as a whole. Its files have versions of their own too, and only those \
            can be removed.
            """)

    @Argument(help: "The document or package.", completion: .file())
    var path: String

    @Option(
        name: .customLong("remove"), parsing: .singleValue,
        help: ArgumentHelp("Remove this version from the history, on every device.", valueName: "version"))
    var removed: [String] = []

    @Flag(help: "Remove the whole history of the document, on every device.")
    var removeAll = false

    @Flag(help: "Print JSON, whose format is stable (docs/STATUS.md).")
    var json = false

    private struct Document: Encodable {
        let format: Int
        let path: MountPath
        let isDeleted: Bool
        let versions: [DocumentVersion]
    }

    func run() throws {
        let place = try MountLocator.current().place(of: path)
        var connection = try DaemonConnection.open(place.record)
        var answer = try Self.list(place, &connection)
        let removed = removeAll ? answer.versions.filter { $0.kind == .history }.map(\.version) : self.removed
        if !removed.isEmpty {
            let request = RemoveVersionsRequest(path: place.path, versions: removed)
            _ = try connection.call(request)
            answer = try Self.list(place, &connection)
        }
        if json {
            print(
                try StatusJSON.text(
                    Document(
                        format: StatusJSON.format, path: answer.path, isDeleted: answer.isDeleted,
                        versions: answer.versions)))
        } else {
            Self.lines(answer, Terminal.style).forEach { print($0) }
        }
    }

    static func list(_ place: MountLocator.Place, _ connection: inout DaemonConnection) throws -> VersionsResponse {
        let answer = try connection.call(VersionsRequest(path: place.path))
        return answer
    }

    static func lines(_ answer: VersionsResponse, _ style: TextStyle) -> [String] {
        guard !answer.versions.isEmpty else {
            return [
                "No versions. Those of a document that was just deleted are listed once its deletion is in the cloud."
            ]
        }
        var table = TextTable([
            ("VERSION", .left), ("", .left), ("DEVICE", .left), ("CHANGED", .left), ("SIZE", .right),
        ])
        for version in answer.versions {
            let note =
                switch version.kind {
                case .current: "current"
                case .conflict: "in conflict"
                case .history: ""
                }
            let cells = [
                version.version, note, printable(version.device), LocalTime.text(version.modified),
                "\(ByteCount(version.size))",
            ]
            table.append(cells.map { TextTable.Cell($0) })
        }
        return (answer.isDeleted ? ["The document is deleted."] : []) + table.lines(style)
    }
}
