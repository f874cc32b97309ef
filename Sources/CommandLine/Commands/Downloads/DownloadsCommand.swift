import ArgumentParser
import Basics
import DaemonProtocol

/// `ubiquity downloads`: shows who downloaded how much, and lets a program download again.
struct DownloadsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "downloads", abstract: "Show how much was downloaded on each day, and by which programs.",
        discussion: """
            Bytes are those that the cloud sent, and count for the program that opened the document; what no program opened is \
            shown by its cause: requested (`ubiquity download`), kept (`ubiquity pin`), update (a newer version of a document \
            that is here), package (the rest of a package), whenSpace (`pin --when-space`). The figures go back \
            \(DownloadsResponse.maximumDays) days.

            A program without a terminal that looks into many documents and reads none of them is refused documents that are not \
            on this device for ten minutes; `ubiquity status` shows it. --allow ends that, until the daemon ends. To decide for \
            good, name the program in programs.json; for one command there is `ubiquity run --download`.
            """)

    @OptionGroup var mount: MountOption

    @Flag(help: "Show each program and cause.")
    var byProgram = false

    @Option(help: ArgumentHelp("How many days to show, 1 to \(DownloadsResponse.maximumDays).", valueName: "count"))
    var days = 7

    @Option(help: ArgumentHelp("Let this program download again.", valueName: "program"))
    var allow: String?

    @Flag(help: "Print JSON.")
    var json = false

    /// The output of `--json`.
    private struct Document: Encodable {
        let format = 1
        let days: [DownloadDay]
    }

    func validate() throws {
        guard (1...DownloadsResponse.maximumDays).contains(days) else {
            throw ValidationError("--days takes a number from 1 to \(DownloadsResponse.maximumDays)")
        }
        guard let allow else { return }
        guard !byProgram, !json else { throw ValidationError("--allow stands alone") }
        guard (1...255).contains(allow.utf8.count) else {
            throw ValidationError("--allow takes the name of a program, as `ubiquity status` shows it")
        }
    }

    func run() throws {
        var connection = try DaemonConnection.open(try mount.record())
        if let allow {
            _ = try connection.call(AllowDownloadsRequest(program: allow))
            return print("\(printable(allow)) may download what it opens until the daemon ends.")
        }
        let found = try connection.call(DownloadsRequest(days: days)).days
        if json { return print(try StatusJSON.text(Document(days: found))) }
        guard !found.isEmpty else { return print("Nothing was downloaded.") }
        Self.table(found, byProgram: byProgram).lines(Terminal.style).forEach { print($0) }
    }

    static func table(_ days: [DownloadDay], byProgram: Bool) -> TextTable {
        let title = byProgram ? [("PROGRAM", TextTable.Alignment.left)] : []
        var table = TextTable([("DAY", .left)] + title + [("DOCUMENTS", .right), ("BYTES", .right)])
        for day in days {
            if byProgram {
                for (index, source) in day.sources.enumerated() {
                    let name = source.program.map { printable($0) } ?? Self.text(cause: source.cause)
                    let cells = [
                        index == 0 ? day.day : "", name, "\(source.documents)", "\(ByteCount(source.bytes))",
                    ]
                    table.append(cells.map { TextTable.Cell($0) })
                }
            } else {
                let documents = day.sources.reduce(UInt64(0)) { $0.saturatingSum($1.documents) }
                let bytes = day.sources.reduce(UInt64(0)) { $0.saturatingSum($1.bytes) }
                table.append([day.day, "\(documents)", "\(ByteCount(bytes))"].map { TextTable.Cell($0) })
            }
        }
        return table
    }

    /// In parentheses, since no program has such a name.
    private static func text(cause: String) -> String {
        switch cause {
        case "otherPrograms": "(other programs)"
        case "unknown": "(unknown program)"
        case "whenSpace": "(when space)"
        default: "(\(printable(cause)))"
        }
    }
}
