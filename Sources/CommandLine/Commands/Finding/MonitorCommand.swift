import ArgumentParser
import Basics
import CloudModel
import DaemonProtocol
import Glibc

/// `ubiquity monitor`: prints the events in a mount as they happen.
struct MonitorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "monitor", abstract: "Show what happens in a mount, line by line.",
        discussion: """
            Prints items that any program or device adds, moves, changes and removes, their sync progress, and whether the \
            cloud can be reached, until Ctrl-C. If the reader is too slow, a line says how many events were dropped.
            """)

    @Argument(help: "The same as --mount.", completion: .directory)
    var path: String?

    @OptionGroup var mount: MountOption

    @Flag(help: "Print a line of JSON for each event (docs/PROTOCOL.md).")
    var json = false

    func run() throws {
        let record = try mount.record(path)
        var connection = try DaemonConnection.open(record)
        try connection.follow(MonitorRequest()) { event throws(CommandFailure) in
            guard case .happened(let happening) = event else { return }
            print(json ? try FoundOutput.line(happening) : Self.line(happening, record))
            fflush(nil)
        }
    }

    static func line(_ happening: Happening, _ record: MountRecord) -> String {
        let path = happening.path.map(record.display) ?? ""
        let what =
            switch happening.kind {
            case .moved: happening.from.map { "\(record.display($0)) -> \(path)" } ?? path
            case .status: "\(path) \(happening.item.map(state) ?? "")"
            case .cloud: printable(happening.detail ?? "")
            case .missed: "\(happening.count ?? 0) events were dropped"
            case .created, .changed, .removed: path
            }
        return "\(LocalTime.text(happening.time)) \(happening.kind.rawValue) \(what)"
    }

    private static func state(_ item: FoundItem) -> String {
        var words = [item.downloading.rawValue, item.isUploaded ? "uploaded" : "not uploaded"]
        if item.isDownloading { words.append("downloading \(Int(clamping: item.percentDownloaded)) %") }
        if item.isUploading { words.append("uploading \(Int(clamping: item.percentUploaded)) %") }
        if item.hasUnresolvedConflicts { words.append("in conflict") }
        return words.joined(separator: ", ")
    }
}
