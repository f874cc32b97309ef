import DaemonProtocol

/// Takes the devices of mounts off their clouds, or back.
struct OnlineSwitch {
    /// The output of `--json`.
    private struct Document: Encodable {
        struct Mount: Encodable {
            let mount: String
            let isOnline: Bool
        }

        let format = 1
        let mounts: [Mount]
    }

    let isOnline: Bool

    func apply(to paths: [String], json: Bool) throws {
        var mounts: [Document.Mount] = []
        for group in try MountSelection(paths, .current()).groups {
            var connection = try DaemonConnection.open(group.record)
            _ = try connection.call(SetOnlineRequest(isOnline: isOnline))
            mounts.append(Document.Mount(mount: group.record.mount, isOnline: isOnline))
            guard !json else { continue }
            print(
                isOnline
                    ? "\(group.record.mount): online; it syncs again."
                    : "\(group.record.mount): offline. Edits wait for `ubiquity online`.")
        }
        if json { print(try StatusJSON.text(Document(mounts: mounts))) }
    }
}
