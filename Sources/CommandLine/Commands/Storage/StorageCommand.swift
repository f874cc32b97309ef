import ArgumentParser
import Basics
import DaemonProtocol

/// `ubiquity storage`: shows what uses space, and deletes the data that a program keeps beside documents.
struct StorageCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "storage", abstract: "Show how much space containers take, on this device and in the cloud.",
        discussion: """
            A container holds Documents, and beside it a program's own data. Sizes are those of the documents: the cloud stores \
            equal chunks once, and compressed. --delete-data deletes a program's own data on all devices; `ubiquity deleted` \
            lists it, and `ubiquity restore` restores it as long as the cloud keeps deleted items.
            """)

    @OptionGroup var mount: MountOption

    @Option(
        help: ArgumentHelp("Delete everything outside Documents in this container.", valueName: "container"))
    var deleteData: String?

    @Flag(help: "Do not ask before deleting.")
    var yes = false

    @Flag(help: "Print JSON.")
    var json = false

    /// The output of `--json`.
    private struct Document: Encodable {
        let format = 1
        let containers: [ContainerStorage]
    }

    func validate() throws {
        guard !yes || deleteData != nil else { throw ValidationError("--yes requires --delete-data") }
        guard !json || deleteData == nil else { throw ValidationError("--json and --delete-data exclude each other") }
    }

    func run() throws {
        let record = try mount.record()
        var connection = try DaemonConnection.open(record)
        let answer = try connection.call(StorageRequest())
        if let deleteData { return try ProgramData(deleteData, answer.containers, record).delete(asking: !yes) }
        if json { return print(try StatusJSON.text(Document(containers: answer.containers))) }
        Self.table(answer.containers).lines(Terminal.style).forEach { print($0) }
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
