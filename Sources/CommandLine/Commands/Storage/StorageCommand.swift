import ArgumentParser
import Basics
import CloudModel
import DaemonProtocol

/// `ubiquity storage`: shows space use, and deletes a program's data beside its documents.
struct StorageCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "storage", abstract: "Show how much space containers take, on this device and in the cloud.",
        discussion: """
            A container holds Documents, and beside it a program's own data. Sizes are those of the documents: the cloud stores \
            equal chunks once, and compressed. The second table has every byte that the cloud stores, once, by what needs it: its total is \
            what the quota of a server counts. For a directory or a bucket it is made with --list, which lists all chunks. --delete-data deletes a program's own data on all devices; `ubiquity deleted` \
            lists it, and `ubiquity restore` restores it as long as the cloud keeps deleted items.
            """)

    @OptionGroup var mount: MountOption

    @Option(
        help: ArgumentHelp("Delete everything outside Documents in this container.", valueName: "container"))
    var deleteData: String?

    @Flag(help: "Do not ask before deleting.")
    var yes = false

    @Flag(help: "List the chunks of a directory or a bucket, to show what uses its space. A server knows it.")
    var list = false

    @Flag(help: "Print JSON.")
    var json = false

    /// The output of `--json`.
    private struct Document: Encodable {
        let format = 1
        let containers: [ContainerStorage]
        let cloud: CloudUseReport?
        let failure: DaemonFailure?
    }

    func validate() throws {
        guard !yes || deleteData != nil else { throw ValidationError("--yes requires --delete-data") }
        guard !json || deleteData == nil else { throw ValidationError("--json and --delete-data exclude each other") }
    }

    func run() throws {
        let record = try mount.record()
        var connection = try DaemonConnection.open(record)
        let answer = try connection.call(StorageRequest(list: list))
        if let deleteData { return try ProgramData(deleteData, answer.containers, record).delete(asking: !yes) }
        if json {
            return print(
                try StatusJSON.text(
                    Document(containers: answer.containers, cloud: answer.cloud, failure: answer.failure)))
        }
        Self.table(answer.containers).lines(Terminal.style).forEach { print($0) }
        print("")
        CloudUseText.lines(answer, Terminal.style).forEach { print($0) }
    }

    static func table(_ containers: [ContainerStorage]) -> TextTable {
        var table = TextTable([
            ("CONTAINER", .left), ("AREA", .left), ("FILES", .right), ("LOCAL", .right), ("CLOUD", .right),
            ("VERSIONS", .right),
        ])
        for container in containers.sorted(by: { $0.name < $1.name }) {
            // The size of versions applies to all areas together.
            for (index, area) in container.areas.enumerated() {
                table.append(
                    [
                        index == 0 ? container.name : "", printable(area.name), "\(area.files)",
                        "\(ByteCount(area.localBytes))", "\(ByteCount(area.cloudBytes))",
                        index == 0 ? "\(ByteCount(container.versionBytes))" : "",
                    ].map { TextTable.Cell($0) })
            }
        }
        return table
    }
}
