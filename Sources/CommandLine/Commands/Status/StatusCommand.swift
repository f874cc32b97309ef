import ArgumentParser
package import DaemonProtocol
import Glibc

/// `ubiquity status`: the state of mounts, or of the items named.
struct StatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show the state of mounts or documents.",
        discussion: """
            Without a PATH, shows each mount: its daemon, cloud, queue and running transfers; a mount point as PATH \
            shows that one. With other PATHs, shows for each \
            whether its bytes are here, whether they are in the cloud, and whether there is a conflict. --watch goes on \
            until Ctrl-C.
            """)

    @Argument(help: "Items to show.", completion: .file())
    var paths: [String] = []

    @Flag(help: "Print JSON, whose format is stable (docs/STATUS.md).")
    var json = false

    @Flag(help: "Show the state again after each change.")
    var watch = false

    /// Items in one request: the answer fits into a message, however long their paths are.
    private static let batch = 200

    func run() throws {
        let locator = try MountLocator.current()
        if paths.isEmpty, !watch { return try show(Self.reports(locator)) }
        let groups = try MountSelection(paths, locator).groups.map(\.withoutRoot)
        guard watch else {
            // A mount point stands for its mount.
            let isMounts = groups.allSatisfy(\.paths.isEmpty)
            return try isMounts ? show(groups.map { Self.ask($0.record) }) : showItems(groups)
        }
        guard let group = groups.first, groups.count == 1 else {
            let mounts = groups.map(\.record.mount).joined(separator: ", ")
            throw ValidationError("--watch shows one mount, say which: \(mounts)")
        }
        try follow(group)
    }

    private func show(_ reports: [MountReport]) throws {
        if json {
            print(try StatusJSON.text(mounts: reports))
        } else if reports.isEmpty {
            print("Nothing is mounted. Mount your documents with \"ubiquity mount\".")
        } else {
            for report in reports { StatusText.lines(report, Terminal.style).forEach { print($0) } }
        }
        // Mounts without a daemon were shown for what they are; a daemon that should have told its state and did not is a failure.
        let silent = reports.filter { $0.record != nil }.compactMap(\.failure).first { $0.status == .notAnswering }
        if let silent { throw silent }
    }

    /// Every mount: those with a daemon, and those that lost theirs.
    private static func reports(_ locator: MountLocator) -> [MountReport] {
        let known = locator.records.map(ask)
        let orphans = locator.table.mountPoints.map { String(decoding: $0, as: UTF8.self) }
            .filter { mount in !locator.records.contains { $0.mount == mount } }
        return known + orphans.map { MountReport(record: nil, mount: $0, outcome: .failure(locator.unregistered($0))) }
    }

    private static func ask(_ record: MountRecord) -> MountReport {
        do throws(CommandFailure) {
            // Less patience than elsewhere: nothing but this report hangs on it, and there may be many mounts.
            var connection = try DaemonConnection.open(record, patience: .seconds(5))
            guard case .status(let status) = try connection.call(.status(StatusRequest())) else {
                throw DaemonConnection.unexpectedAnswer(record)
            }
            return MountReport(record: record, mount: record.mount, outcome: .success(status.mount))
        } catch {
            return MountReport(record: record, mount: record.mount, outcome: .failure(error))
        }
    }

    private func showItems(_ groups: [MountSelection.Group]) throws {
        var responses: [(MountRecord, StatusResponse)] = []
        for group in groups {
            var connection = try DaemonConnection.open(group.record)
            for start in stride(from: 0, to: group.paths.count, by: Self.batch) {
                let paths = Array(group.paths[start..<min(start + Self.batch, group.paths.count)])
                guard case .status(let status) = try connection.call(.status(StatusRequest(paths: paths))) else {
                    throw DaemonConnection.unexpectedAnswer(group.record)
                }
                responses.append((group.record, status))
            }
        }
        if json {
            print(try StatusJSON.text(items: responses.flatMap(\.1.items)))
        } else {
            let items = responses.flatMap { record, status in status.items.map { (record, $0) } }
            if !items.isEmpty { StatusText.table(items, Terminal.style).forEach { print($0) } }
        }
        let failures = responses.flatMap { record, status in status.failures.map { $0.located(in: record) } }
        if let failure = CommandFailure(failures) { throw failure }
    }

    private func follow(_ group: MountSelection.Group) throws {
        var display = LiveDisplay()
        var connection = try DaemonConnection.open(group.record)
        try connection.watch(WatchRequest(paths: group.paths)) { status in
            if json {
                print(StatusJSON.line(status))
                fflush(nil)
            } else if group.paths.isEmpty {
                display.show(StatusText.watched(status.mount, Terminal.style))
            } else {
                display.show(StatusText.table(status.items.map { (group.record, $0) }, Terminal.style))
            }
        }
    }
}

extension MountSelection.Group {
    /// Where the mount itself is named alone, no path.
    fileprivate var withoutRoot: MountSelection.Group {
        paths.allSatisfy(\.isRoot) ? MountSelection.Group(record: record, paths: []) : self
    }
}

/// A mount as far as it could be found out.
package struct MountReport {
    package let record: MountRecord?
    package let mount: String
    package let outcome: Result<MountStatus, CommandFailure>

    package init(record: MountRecord?, mount: String, outcome: Result<MountStatus, CommandFailure>) {
        self.record = record
        self.mount = mount
        self.outcome = outcome
    }

    var failure: CommandFailure? {
        if case .failure(let failure) = outcome { failure } else { nil }
    }
}
