import ArgumentParser
import Basics
package import DaemonProtocol
import Glibc

/// `ubiquity status`: shows the state of mounts, or of the named items.
struct StatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show the state of mounts or documents.",
        discussion: """
            Without a PATH, shows each mount: its daemon, cloud, queue and running transfers; a mount point as PATH \
            shows that one. With other PATHs, shows for each \
            whether its bytes are on this device, whether they are in the cloud, and whether there is a conflict; with \
            --recursive also for everything below a folder. Of an item that a pattern in a .ubiquityignore keeps on \
            this device, it names the file and the line. --watch runs until Ctrl-C.
            """)

    @Argument(help: "Items to show.", completion: .file())
    var paths: [String] = []

    @Flag(help: "Print JSON, whose format is stable (docs/STATUS.md).")
    var json = false

    @Flag(help: "Show the state again after each change.")
    var watch = false

    @Flag(name: .shortAndLong, help: "Of a folder, show everything below it too.")
    var recursive = false

    func validate() throws {
        guard !recursive || !watch else { throw ValidationError("--recursive and --watch exclude each other") }
        guard !recursive || !paths.isEmpty else { throw ValidationError("--recursive needs a PATH") }
    }

    func run() throws {
        let locator = try MountLocator.current()
        if paths.isEmpty, !watch { return try show(Self.reports(locator)) }
        if recursive { return try showItems(MountSelection(paths, locator).groups.map { try $0.withContents() }) }
        let groups = try MountSelection(paths, locator).groups.map(\.withoutRoot)
        guard watch else {
            // A mount point stands for its mount.
            let isMounts = groups.allSatisfy(\.paths.isEmpty)
            return try isMounts ? show(groups.map { Self.ask($0.record) }) : showItems(groups)
        }
        guard let group = groups.first, groups.count == 1 else {
            let mounts = groups.map(\.record.mount).joined(separator: ", ")
            throw ValidationError("--watch shows one mount, name one of: \(mounts)")
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
        // Mounts without a daemon were shown as such; a daemon not reporting its state is a failure.
        let silent = reports.filter { $0.record != nil }.compactMap(\.failure).first { $0.status == .notAnswering }
        if let silent { throw silent }
    }

    /// Returns reports for all mounts: mounts with a daemon, and mounts whose daemon is gone.
    private static func reports(_ locator: MountLocator) -> [MountReport] {
        let known = locator.records.map(ask)
        return known
            + locator.orphans.map { MountReport(record: nil, mount: $0, outcome: .failure(locator.unregistered($0))) }
    }

    private static func ask(_ record: MountRecord) -> MountReport {
        do throws(CommandFailure) {
            // The patience is shorter than elsewhere: only this report depends on it, and there may be many mounts.
            var connection = try DaemonConnection.open(record, patience: .seconds(5))
            let status = try connection.call(StatusRequest())
            return MountReport(record: record, mount: record.mount, outcome: .success(status.mount))
        } catch {
            return MountReport(record: record, mount: record.mount, outcome: .failure(error))
        }
    }

    private func showItems(_ groups: [MountSelection.Group]) throws {
        var responses: [(MountRecord, StatusResponse)] = []
        for group in groups {
            var connection = try DaemonConnection.open(group.record)
            for batch in group.batches {
                let status = try connection.call(StatusRequest(paths: batch))
                responses.append((group.record, status))
            }
        }
        if json {
            print(try StatusJSON.text(items: responses.flatMap(\.1.items)))
        } else {
            let items = responses.flatMap { record, status in status.items.map { (record, $0) } }
            let lines = StatusText.table(items, Terminal.style, isForEyes: Terminal.isTerminal)
            if !items.isEmpty { lines.forEach { print($0) } }
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
    /// The paths in batches small enough to keep each request and its response within the maximum message length.
    fileprivate var batches: [[MountPath]] {
        var batches: [[MountPath]] = []
        var bytes = 0
        for path in paths {
            bytes += path.bytes.count
            if batches.isEmpty || batches[batches.count - 1].count == 500 || bytes > 128 << 10 {
                batches.append([])
                bytes = path.bytes.count
            }
            batches[batches.count - 1].append(path)
        }
        return batches
    }

    /// Returns the group with everything below the folders among its paths, as the mount lists it.
    fileprivate func withContents() throws -> MountSelection.Group {
        var whole = MountSelection.Group(record: record, paths: [])
        for path in paths {
            if !path.isRoot { whole.paths.append(path) }
            var folders = [path]
            while let folder = folders.popLast() {
                for (child, isFolder) in try children(of: folder) {
                    whole.paths.append(child)
                    if isFolder { folders.append(child) }
                }
            }
        }
        return whole
    }

    /// Returns a folder's children; none for any other item.
    private func children(of folder: MountPath) throws -> [(path: MountPath, isFolder: Bool)] {
        let prefix = folder.isRoot ? [] : folder.bytes + [UInt8(ascii: "/")]
        let location = Array(record.mount.utf8) + [UInt8(ascii: "/")] + prefix
        guard let stream = opendir(location.map { CChar(bitPattern: $0) } + [0]) else {
            if errno == ENOTDIR || errno == ENOENT { return [] }
            throw CommandFailure(
                .failed, "cannot list the folder: \(String(cString: strerror(errno)))", path: record.display(folder))
        }
        defer { closedir(stream) }
        var found: [(path: MountPath, isFolder: Bool)] = []
        while let entry = readdir(stream) {
            let name = entry.nameBytes
            guard name != [0x2E], name != [0x2E, 0x2E] else { continue }
            found.append((try MountPath(bytes: prefix + name), entry.pointee.d_type == UInt8(DT_DIR)))
        }
        return found.sorted { $0.path.bytes.lexicographicallyPrecedes($1.path.bytes) }
    }

    /// The group without its path if only the mount itself is named.
    fileprivate var withoutRoot: MountSelection.Group {
        paths.allSatisfy(\.isRoot) ? MountSelection.Group(record: record, paths: []) : self
    }
}

/// The state of a mount, as far as it could be determined.
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
