import CloudModel
import DeviceSupport
import LocalMetadata
import TestSupport
import VirtualFileSystem

/// What goes wrong: deaths between and in the middle of things, failing disks and clouds, repeats that come late, clocks that jump.
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
            guard device.isOnline, let payload = random.pick(device.sent) else { return }
            cloud.append(payload)
            tell(device, "a batch arrives once more")
        default:
            let hours = random.number(-30..<30)
            device.time.advance(by: .seconds(3600 * hours))
            tell(device, "the clock jumps by \(hours) h")
        }
    }

    /// A chunk rots in the cloud, or heals: whoever reads it gets an error, and no other bytes.
    private func damage(_ device: SimulatedDevice) {
        guard random.chance(70) else {
            cloud.mend()
            return tell(device, "what was damaged in the cloud is mended")
        }
        if let bytes = cloud.damage({ random.pick($0) }) {
            tell(device, "‘\(String(decoding: bytes, as: UTF8.self))’ is damaged in the cloud")
        }
    }

    private func dieBetween(_ device: SimulatedDevice) throws {
        tell(device, "dies and starts")
        try excuseOpenFiles(of: device, &ledger)
        try device.crash(closesDatabase: random.chance(20))
        try start(device)
    }

    /// At some call of what a user or the engine does, or just after it.
    private func dieInside(_ device: SimulatedDevice) throws {
        let (spared, isUser, isClosed) = (random.number(0..<18), random.chance(60), random.chance(10))
        var (supposed, text) = (ledger, "")
        try excuseOpenFiles(of: device, &supposed)
        let isInside = try device.dying(sparing: spared, closesDatabase: isClosed) {
            text = try something(device, isUser, &supposed)
            try excuseOpenFiles(of: device, &supposed)
        }
        try start(device)
        tell(device, "dies \(isInside ? "at call \(spared) of" : "after"): \(text.isEmpty ? "a sync" : text)")
        guard isInside else {
            ledger = supposed
            return
        }
        try settleDoubt(supposed, device)
    }

    /// Calls to the disk or the cloud fail while a user or the engine does something.
    private func struggle(_ device: SimulatedDevice, _ kind: Faults.Kind) throws {
        let (spared, count) = (random.number(0..<6), random.pick([1, 1, 2, 3, 100]) ?? 1)
        let isUser = kind != .lostCalls && random.chance(70)
        var (supposed, text) = (ledger, "a sync")
        device.faults.begin(kind, sparing: spared, count: count)
        do { text = try something(device, isUser, &supposed) } catch  where device.faults.hasStruck {
            // What the engine tells its log.
            text = "a sync: \(error)"
        }
        let struck = device.faults.end()
        tell(device, "\(kind), \(struck) calls fail behind \(spared): \(text)")
        // What a program was told is done is done, whatever failed behind it.
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
        tell(device, "loses power after: \(texts.joined(separator: "; "))")
        try settleDoubt(supposed, device, forgets: true)
    }

    private func something(_ device: SimulatedDevice, _ isUser: Bool, _ ledger: inout Ledger) throws -> String {
        if isUser {
            let text = try user(on: device).act(&random, &ledger, &next)
            // What can not be read where something fails is shown to nobody.
            if let snapshot = try? Snapshot(device) { packageLedger.note(snapshot, on: device.number) }
            return text
        }
        if device.isOnline { try device.syncFully() }
        return "a sync"
    }

    /// What was under way may have been done or not: the disk knows.
    private func settleDoubt(_ supposed: Ledger, _ device: SimulatedDevice, forgets: Bool = false) throws {
        let now = try Snapshot(device)
        // Of several things the last is the one in doubt, and without a sync nothing outlives the power.
        let isAtomic = story.last.map { $0.contains("by renaming") && !$0.contains("loses power") } ?? false
        let problems = ledger.suppose(supposed, visible: now.contents, isAtomic: isAtomic, forgets: forgets)
        stepProblems += problems.map { "\(device.name): \($0)" }
    }

    /// Deletes what shows as lost: an edit that was deleted, which the disk remembers and the database does not.
    private func giveUpLost(_ device: SimulatedDevice) throws {
        for item in try device.lostEdits() { try device.files.removeFile(item.name.bytes, in: item.parent) }
    }

    /// The first start may die as well.
    private func start(_ device: SimulatedDevice) throws {
        if random.chance(30) {
            let (spared, isClosed) = (random.number(0..<8), random.chance(20))
            if try device.dying(sparing: spared, closesDatabase: isClosed, in: { try device.start() }) {
                tell(device, "dies at call \(spared) while it starts")
            }
        }
        try device.start()
        if random.chance(25) { stepProblems += try device.contradictions() }
    }

    /// Written and not closed: either the old or the new may be found.
    private func excuseOpenFiles(of device: SimulatedDevice, _ ledger: inout Ledger) throws {
        for (handle, _) in device.parts.handles where handle.canWrite {
            guard let row = try device.metadata.read({ try $0.item(handle.file.node) }) else { continue }
            ledger.excuse(try device.text(of: row))
        }
    }
}
