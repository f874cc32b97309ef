import DaemonProtocol

/// The output of `ubiquity diagnose --claims`: the claimed items as a tree, each with its holders and waiters.
enum ClaimsReport {
    private struct Document: Encodable {
        let format: Int
        let mounts: [Mount]
    }

    private struct Mount: Encodable {
        let mount: String
        let items: [ClaimedItem]
        let tree: ClaimsTree
    }

    static func print(_ path: String?, json: Bool) throws {
        let mounts = try MountSelection(path.map { [$0] } ?? [], .current()).groups.map(ask)
        if json { return Swift.print(try StatusJSON.text(Document(format: StatusJSON.format, mounts: mounts))) }
        for mount in mounts { Swift.print(text(mount)) }
    }

    private static func ask(_ group: MountSelection.Group) throws -> Mount {
        var connection = try DaemonConnection.open(group.record)
        let answer = try connection.call(ClaimsRequest())
        return Mount(mount: group.record.mount, items: answer.items, tree: ClaimsTree(answer))
    }

    private static func text(_ mount: Mount) -> String {
        guard !mount.tree.isEmpty else { return "\(mount.mount): no program coordinates." }
        return ([mount.mount] + mount.tree.lines).joined(separator: "\n")
    }
}
