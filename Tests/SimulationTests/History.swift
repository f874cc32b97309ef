import Basics
import CloudModel
import ContainerLog
import DeviceSupport
import Foundation
import LocalMetadata
import VirtualFileSystem

/// One random history of a few devices, from its seed alone: users act, devices sync step by step, replies are lost, processes die.
/// Then all is healed, and everybody has to show the same, with nothing lost and nothing back.
final class History {
    let seed: UInt64
    private(set) var story: [String] = []
    private var random: SeededGenerator
    private var ledger = Ledger()
    private var next = 0
    private let cloud = SimulatedCloud()
    private let devices: [SimulatedDevice]
    private let root: String
    private static let rounds = 60

    init(seed: UInt64, steps: Int, shared: SimulatedDevice.SharedParts) throws {
        self.seed = seed
        random = SeededGenerator(seed: seed)
        root = "\(Self.scratch)/ubiquity-\(getpid())-\(seed)-\(steps)"
        var devices: [SimulatedDevice] = []
        for number in 0..<random.number(2..<4) {
            let skew = Duration.seconds(random.chance(30) ? random.number(-4000..<4000) : 0)
            devices.append(
                try SimulatedDevice(
                    number: number, seed: seed, skew: skew, cloud: cloud, shared: shared, below: root))
        }
        self.devices = devices
        do {
            if random.chance(80) { try begin() }
            for _ in 0..<steps { try step() }
        } catch { story.append("failed: \(error)"); failure = error }
    }

    private var failure: (any Error)?

    /// A disk in memory where there is one: histories are many small commits.
    static let scratch =
        FileManager.default.isWritableFile(atPath: "/dev/shm") ? "/dev/shm" : NSTemporaryDirectory()

    /// Ends all devices and removes what they kept.
    func cleanUp() {
        for device in devices { try? device.crash() }
        try? FileManager.default.removeItem(atPath: root)
    }

    // MARK: Steps

    /// Something that everybody has.
    private func begin() throws {
        let actions = UserActions(device: devices[0])
        tell(devices[0], try actions.populate(&ledger, &next))
        for _ in 0..<2 {
            for device in devices {
                device.time.advance(by: .seconds(1))
                try Self.syncFully(device)
            }
        }
        tell(devices[0], "and all sync")
    }

    private func step() throws {
        guard let device = random.pick(devices) else { return }
        let what = random.number(0..<100)
        switch what {
        case 0..<45: tell(device, try UserActions(device: device).act(&random, &ledger, &next))
        case 45..<75: try sync(device)
        case 75..<88: try syncFully(device)
        case 88..<92:
            device.isOnline.toggle()
            tell(device, device.isOnline ? "is online" : "is offline")
        case 92..<96: try restart(device)
        default: try evict(device)
        }
    }

    private func tell(_ device: SimulatedDevice, _ text: String) {
        story.append("[\(story.count)] \(device.name): \(text)")
    }

    /// One step of the loops.
    private func sync(_ device: SimulatedDevice) throws {
        device.time.advance(by: .milliseconds(random.number(0..<600)))
        switch random.number(0..<7) {
        case 0, 1: if device.isOnline, try device.fold() { tell(device, "folds") }
        case 2: try device.followUnsettled()
        case 3: try upload(device)
        case 4: if try device.makeBatch() { tell(device, "makes a batch") }
        case 5: if device.isOnline, try device.append() { tell(device, "appends") }
        default: if device.isOnline, try device.download() { tell(device, "downloads") }
        }
    }

    /// Uploads, while a user goes on now and then.
    private func upload(_ device: SimulatedDevice) throws {
        guard device.isOnline else { return }
        let isDone = try device.upload {
            guard random.chance(20) else { return }
            tell(device, "meanwhile: " + (try UserActions(device: device).act(&random, &ledger, &next)))
        }
        if isDone { tell(device, "uploads") }
    }

    /// A round of all loops, as the engine does it.
    private func syncFully(_ device: SimulatedDevice) throws {
        guard device.isOnline else { return }
        tell(device, "syncs")
        device.time.advance(by: .milliseconds(random.number(0..<600)))
        try Self.syncFully(device)
    }

    static func syncFully(_ device: SimulatedDevice) throws {
        try device.upload()
        while try device.fold() {}
        try device.followUnsettled()
        var batches = 0
        while batches < 50, try device.makeBatch() {
            try device.append()
            while try device.fold() {}
            try device.followUnsettled()
            batches += 1
        }
        try device.download()
    }

    private func restart(_ device: SimulatedDevice) throws {
        tell(device, "dies and starts")
        for (handle, _) in device.parts.handles where handle.canWrite {
            // Written and not closed: either the old or the new may be found.
            guard let row = try device.metadata.read({ try $0.item(handle.file.node) }) else { continue }
            ledger.excuse(try device.text(of: row))
        }
        try device.crash()
        try device.start()
    }

    private func evict(_ device: SimulatedDevice) throws {
        if let path = try device.evictAny(&random) { tell(device, "evicts \(path)") }
    }

    // MARK: The end

    /// Heals everything and answers what is wrong then.
    func problems() throws -> [String] {
        if let failure { return ["failed: \(failure)"] }
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

    private func settle() throws -> Bool {
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
}
