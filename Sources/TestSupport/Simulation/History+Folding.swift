import CloudModel
import ContainerLog
import DeviceSupport
import LocalMetadata
import Sync
import TestSupport

/// Containers that ignore the case of names.
extension History {
    /// Lets a device switch the comparison of names while the container is empty: known to all devices before anything
    /// else happens, or unsent while another device creates documents, so the log's order decides whether the switch
    /// counts. Returns whether the container stays empty, and the steps decide.
    func beginIgnoringCase() throws -> Bool {
        guard let device = random.pick(devices) else { return false }
        record(device, try user(on: device).switchCase())
        switch random.number(0..<4) {
        case 0: return false
        case 1:
            for other in devices where other !== device && random.chance(30) {
                record(other, try user(on: other).switchCase())
            }
            return true
        default:
            for _ in 0..<2 { try syncAll() }
            record(device, "and all sync")
            return false
        }
    }

    /// Lets all devices take spellings of the same name in the same folder, without having seen each other's changes.
    func contendForName(_ device: SimulatedDevice) throws {
        let user = user(on: device)
        guard let folder = random.pick(try user.items { $0.kind == .folder && !$0.isExcluded }) else { return }
        let name = user.fileName(&random)
        for device in devices {
            let user = self.user(on: device)
            guard let own = try user.items(where: { $0.item == folder.item }).first else { continue }
            device.time.advance(by: .milliseconds(random.number(1..<300)))
            do {
                let spelled = user.spelled(name, &random)
                record(device, "all at once: " + (try user.take(spelled, in: own.node, &random, &ledger, &next)))
            } catch { record(device, "all at once: \(try UserActions.text(of: error))") }
            try notePackages(of: device)
        }
    }

    /// Returns the problems with the comparison of names once all faults are repaired: the switch means the same on all
    /// devices, matching its attribute, and where it counts no folder has two names equal without case.
    func foldingProblems() throws -> [String] {
        let states = try devices.map(FoldingState.init)
        var found = zip(devices, states).flatMap { device, state in state.problems.map { "\(device.name): \($0)" } }
        if Set(states.map(\.counts)).count > 1 { found.append("only some devices ignore case") }
        return found
    }
}

/// A device's comparison of its container's names, and contradictions to it.
private struct FoldingState {
    /// Whether the log's names are compared without case.
    let counts: Bool
    private(set) var problems: [String] = []

    init(_ device: SimulatedDevice) throws {
        let id = try device.container().id
        counts = try device.metadata.read { try $0.remote(in: id).state().foldsNames }
        try device.metadata.read { transaction in
            try checkSwitch(transaction, id)
            try checkIndex(transaction, id)
            if counts { try checkNames(of: transaction.remote(in: id)) }
        }
    }

    private mutating func checkSwitch(_ transaction: MetadataTransaction, _ id: ContainerID) throws {
        let attributes = [
            try transaction.remote(.root, in: id)?.attributes, try transaction.local.item(.root, in: id)?.attributes,
        ]
        let set = attributes.map { $0?.extended[ReservedAttribute.foldsNames] != nil }
        let isUsed = try transaction.local.foldsNames(in: id)
        guard set != [counts, counts] || isUsed != counts else { return }
        problems.append("ignores case: \(counts) in the log, attributes \(set), \(isUsed) in the file system")
    }

    private mutating func checkIndex(_ transaction: MetadataTransaction, _ id: ContainerID) throws {
        var expected: Int64 = 0
        if counts, let root = try transaction.local.item(.root, in: id) {
            try transaction.local.forEach(below: root) { _ in expected += 1 }
        }
        let count = try transaction.local.foldedNameCount()
        if count != expected { problems.append("\(count) folded names for \(expected) items") }
    }

    private mutating func checkNames(of tree: RemoteTree) throws {
        var folders = [ItemID.root]
        while let folder = folders.popLast() {
            var names: [NameKey: ItemName] = [:]
            for item in try tree.children(of: folder).compactMap(tree.item) {
                if let other = names.updateValue(item.name, forKey: NameKey(item.name, folding: true)) {
                    problems.append(
                        "the log has \(Snapshot.exact(other)) and \(Snapshot.exact(item.name)) in one folder")
                }
                if item.body == .folder { folders.append(item.id) }
            }
        }
    }
}
