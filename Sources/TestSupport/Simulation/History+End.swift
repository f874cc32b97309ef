import Chunking
import CloudModel
import ContainerLog
import DeviceSupport
import LocalMetadata
import VirtualFileSystem

/// What has to be true when all is healed.
extension History {
    private static let rounds = 60

    /// Heals everything and answers what is wrong then.
    func problems() throws -> [String] {
        if let failure { return ["failed: \(failure)"] }
        guard stepProblems.isEmpty else { return stepProblems }
        for device in devices {
            device.isOnline = true
            for (handle, _) in device.parts.handles { device.files.release(handle) }
            device.parts.handles = []
        }
        guard try settle() else {
            return try ["no rest after \(Self.rounds) rounds"]
                + devices.flatMap { device in
                    try device.unrest().map { "\(device.name): \($0)" }
                }
        }
        return try check()
    }

    /// An entry of the log in short.
    private func text(of payload: [UInt8]) -> String {
        guard let batch = try? ChangeBatch(decoding: payload) else { return "?" }
        let changes = batch.changes.map { change -> String in
            func short(_ id: ItemID) -> String { String(id.description.suffix(4)) }
            func name(_ content: FileContent?) -> String {
                guard let reference = content?.reference, let bytes = cloud.contents[reference] else { return "-" }
                return "‘\(String(decoding: bytes, as: UTF8.self))’"
            }
            func name(_ base: Digest?) -> String {
                guard let base, let known = cloud.contents.first(where: { $0.key.digest == base }) else { return "-" }
                return "‘\(String(decoding: known.value, as: UTF8.self))’"
            }
            return switch change {
            case .create(let id, let parent, let called, _, let body):
                "create \(short(id)) \(short(parent))/\(called) \(name(body.content))"
            case .edit(let id, let base, let content, _): "edit \(short(id)) \(name(base)) → \(name(content))"
            case .move(let id, let parent, let name): "move \(short(id)) to \(short(parent))/\(name)"
            case .setAttributes(let id, _): "set \(short(id))"
            case .delete(let id, let base): "delete \(short(id)) \(name(base))"
            case .resolve(let id, let versions): "resolve \(short(id)) \(versions)"
            case .raiseRules: "raise"
            }
        }
        return "\(batch.deviceName) #\(batch.deviceSequence): \(changes.joined(separator: "; "))"
    }

    func settle() throws -> Bool {
        for _ in 0..<Self.rounds {
            let before = cloud.log.count
            for device in devices {
                device.time.advance(by: .seconds(1))
                try Self.syncFully(device)
            }
            if cloud.log.count == before, try devices.allSatisfy({ try $0.unrest().isEmpty }) { return true }
        }
        return false
    }

    private func check() throws -> [String] {
        let snapshots = try devices.map(Snapshot.init)
        var found = snapshots.flatMap(\.problems)
        guard let first = snapshots.first else { return found }
        for (device, snapshot) in zip(devices, snapshots).dropFirst() {
            found += first.difference(from: snapshot).map { "\(devices[0].name) / \(device.name) \($0)" }
        }
        let visible = snapshots.reduce(into: Set<String>()) { $0.formUnion($1.contents) }
        found += ledger.problems(visible: visible)
        let places = zip(devices, snapshots).map { "\($0.name) \($1.entries.sorted { $0.key < $1.key })" }
        if !found.isEmpty { story += places + cloud.log.map { text(of: $0) } }
        let digests = try devices.map { device in
            let container = try device.container().id
            return try device.metadata.read { try TreeDigest(of: RemoteTree($0, container: container)) }
        }
        if Set(digests).count > 1 { found.append("the folded logs differ") }
        for device in devices { found += try device.leftovers().map { "\(device.name): \($0)" } }
        return found
    }

    /// Names everything that happened: equal in every run of the plan.
    func digest() throws -> String {
        let text = story.joined(separator: "\n").utf8
        return ChunkID.of(Array(text) + cloud.log.flatMap { $0 }).description
    }
}
