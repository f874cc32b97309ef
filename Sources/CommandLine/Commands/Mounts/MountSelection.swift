import DaemonProtocol

/// The paths of the command line, grouped by mount.
struct MountSelection {
    struct Group: Hashable {
        let record: MountRecord
        var paths: [MountPath]
    }

    let groups: [Group]

    /// Groups the arguments; without `arguments`, selects every mount.
    init(_ arguments: [String], _ locator: MountLocator) throws(CommandFailure) {
        guard !arguments.isEmpty else {
            groups = locator.records.map { Group(record: $0, paths: []) }
            guard !groups.isEmpty else { throw Self.nothingMounted }
            return
        }
        var groups: [Group] = []
        for argument in arguments {
            let place = try locator.place(of: argument)
            if let index = groups.firstIndex(where: { $0.record == place.record }) {
                groups[index].paths.append(place.path)
            } else {
                groups.append(Group(record: place.record, paths: [place.path]))
            }
        }
        self.groups = groups
    }

    /// Returns the mount containing a path; without a path, the only mount, or the default of several.
    static func single(_ argument: String?, _ locator: MountLocator) throws -> MountRecord {
        if let argument { return try locator.place(of: argument).record }
        guard let record = locator.records.first else { throw nothingMounted }
        guard locator.records.count > 1 else { return record }
        let standard = StandardPaths.current.defaultMount
        if let record = locator.records.first(where: { $0.mount == standard }) { return record }
        let mounts = locator.records.map(\.mount).joined(separator: ", ")
        throw CommandFailure(.refused, "there are several mounts: \(mounts)", advice: "Name one of them.")
    }

    static let nothingMounted = CommandFailure(
        .notMounted, "nothing is mounted", advice: "Mount your documents with \"ubiquity mount\".")
}

extension DaemonFailure {
    /// Returns the failure with its path as a user would type it; the daemon's paths are relative to the mount.
    func located(in record: MountRecord) -> DaemonFailure {
        guard let path, !path.hasPrefix("/") else { return self }
        let whole = path == "." ? record.mount : "\(record.mount)/\(path)"
        return DaemonFailure(code, message, path: whole, advice: advice, errno: errno)
    }
}

extension MountRecord {
    /// Returns a path of this mount as a user would type it.
    func display(_ path: MountPath) -> String { path.isRoot ? mount : "\(mount)/\(printable(path.description))" }
}
