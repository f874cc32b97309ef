import CloudModel
import DeviceSupport
import LocalMetadata
import TestSupport
import VirtualFileSystem

/// Faults: deaths between and in the middle of operations, failing disks and clouds, late repeats, clock jumps.
extension History {
    func fail(_ device: SimulatedDevice) throws {
        switch random.number(0..<20) {
        case 0..<2: try dieBetween(device)
        case 2..<9: try dieInside(device)
        case 9..<11: try losePower(device)
        case 11..<13: try struggle(device, .fullDisk)
        case 13: try struggle(device, .brokenDisk)
        case 14..<16: try struggle(device, .lostCalls)
        case 16: damage(device)
        case 17, 18:
            guard device.isOnline, let batch = random.pick(device.sent) else { return }
            // A cloud set back takes no batch based on the lost part.
            do { try cloud.append(batch.payload, after: batch.position) } catch { return }
            record(device, "a batch arrives once more")
        default:
            let hours = random.number(-30..<30)
            device.time.advance(by: .seconds(3600 * hours))
            record(device, "the clock jumps by \(hours) h")
        }
    }

    /// Damages a chunk in the cloud, or repairs all of them. A reader of a damaged chunk must get an error, and no
    /// wrong bytes.
    private func damage(_ device: SimulatedDevice) {
        guard random.chance(70) else {
            cloud.repair()
            return record(device, "what was damaged in the cloud is repaired")
        }
        if let bytes = cloud.damage({ random.pick($0) }) {
            record(device, "‘\(String(decoding: bytes, as: UTF8.self))’ is damaged in the cloud")
        }
    }

    private func dieBetween(_ device: SimulatedDevice) throws {
        record(device, "dies and starts")
        try excuseOpenFiles(of: device, &ledger)
        try device.crash(closesDatabase: random.chance(20))
        try start(device)
    }

    /// Kills the device at some call of an operation of a user or the engine, or just after the operation.
    private func dieInside(_ device: SimulatedDevice) throws {
        let (spared, isUser, isClosed) = (random.number(0..<18), random.chance(60), random.chance(10))
        var (supposed, text) = (ledger, "")
        try excuseOpenFiles(of: device, &supposed)
        let isInside = try device.dying(sparing: spared, closesDatabase: isClosed) {
            text = try something(device, isUser, &supposed)
            try excuseOpenFiles(of: device, &supposed)
        }
        try start(device)
        record(device, "dies \(isInside ? "at call \(spared) of" : "after"): \(text.isEmpty ? "a sync" : text)")
        guard isInside else {
            ledger = supposed
            return
        }
        try settleDoubt(supposed, device)
    }

    /// Lets calls to the disk or the cloud fail while a user or the engine does something.
    private func struggle(_ device: SimulatedDevice, _ kind: Faults.Kind) throws {
        let (spared, count) = (random.number(0..<6), random.pick([1, 1, 2, 3, 100]) ?? 1)
        let isUser = kind != .lostCalls && random.chance(70)
        var (supposed, text) = (ledger, "a sync")
        device.faults.begin(kind, sparing: spared, count: count)
        do { text = try something(device, isUser, &supposed) } catch  where device.faults.hasStruck {
            // The engine would write this error to its log.
            text = "a sync: \(error)"
        }
        let struck = device.faults.end()
        record(device, "\(kind), \(struck) calls fail after the first \(spared): \(text)")
        // An operation acknowledged to a program is done, regardless of later failures.
        guard struck > 0, !isUser || UserActions.isError(text) else {
            ledger = supposed
            return
        }
        try settleDoubt(supposed, device)
    }

    private func losePower(_ device: SimulatedDevice) throws {
        var (supposed, texts) = (ledger, [String]())
        try excuseOpenFiles(of: device, &supposed)
        var own = random
        try device.losingPower(&own) {
            for _ in 0..<random.number(1..<5) {
                texts.append(try something(device, random.chance(70), &supposed))
            }
            try excuseOpenFiles(of: device, &supposed)
        }
        try start(device)
        try giveUpLost(device)
        record(device, "loses power after: \(texts.joined(separator: "; "))")
        try settleDoubt(supposed, device, forgets: true)
    }

    private func something(_ device: SimulatedDevice, _ isUser: Bool, _ ledger: inout Ledger) throws -> String {
        if isUser {
            let text = try user(on: device).act(&random, &ledger, &next)
            // While calls fail, an unreadable tree is not shown to any program either.
            if let snapshot = try? Snapshot(device) {
                packageLedger.note(snapshot, on: device.number)
                // The next action may end a copy under the identity given by this action.
                ledger.note(snapshot, on: device.number)
            }
            return text
        }
        if device.isOnline { try device.syncFully() }
        return "a sync"
    }

    /// Settles an operation in doubt, by the disk's contents.
    private func settleDoubt(_ supposed: Ledger, _ device: SimulatedDevice, forgets: Bool = false) throws {
        let now = try Snapshot(device)
        // Of several operations only the last is in doubt, and without a sync none has to survive a power cut.
        let isAtomic = story.last.map { $0.contains("by renaming") && !$0.contains("loses power") } ?? false
        let problems = ledger.suppose(
            supposed, visible: now.contents, rows: now.rows, isAtomic: isAtomic, forgets: forgets)
        stepProblems += problems.map { "\(device.name): \($0)" }
    }

    /// Deletes the edits shown as lost: their blobs were deleted with them, and the database lost the deletion in the
    /// power cut.
    func giveUpLost(_ device: SimulatedDevice) throws {
        for item in try device.lostEdits() { try device.files.removeFile(item.name.bytes, in: item.parent) }
    }

    /// Starts a device. The first start may die as well.
    private func start(_ device: SimulatedDevice) throws {
        if random.chance(30) {
            let (spared, isClosed) = (random.number(0..<8), random.chance(20))
            if try device.dying(sparing: spared, closesDatabase: isClosed, in: { try device.start() }) {
                record(device, "dies at call \(spared) while it starts")
            }
        }
        try device.start()
        if random.chance(25) { stepProblems += try device.contradictions() }
    }

    /// Excuses contents written but not closed: either the old or the new content may be found.
    func excuseOpenFiles(of device: SimulatedDevice, _ ledger: inout Ledger) throws {
        for (handle, _) in device.parts.handles where handle.canWrite {
            guard let row = try device.metadata.read({ try $0.local.item(handle.file.node) }) else { continue }
            ledger.excuse(try device.text(of: row))
        }
    }
}
