import CloudModel
import DeviceSupport
import LocalMetadata
import TestSupport
import VirtualFileSystem

/// The steps of a history, in sequence.
extension History {
    /// Whether the history is calm: each device sees all earlier changes before the next one acts, so no conflict can
    /// arise.
    var isCalm: Bool { plan.seed % 16 == 5 && plan.bug == nil && !plan.vocabulary.hasPast }

    func step(_ index: Int) throws {
        guard let device = random.pick(devices) else { return }
        guard !isCalm else { return try calmStep(device) }
        reconnect(index)
        if plan.vocabulary.hasPast, random.chance(12) {
            try travel(device)
            return try look(at: device, afterSync: false)
        }
        if isAboutPackages, random.chance(35) {
            try cross(device)
            return try look(at: device, afterSync: false)
        }
        let what = random.number(0..<100)
        switch what {
        case 0..<42: record(device, try user(on: device).act(&random, &ledger, &next))
        case 42..<45:
            if plan.vocabulary.ignoresCase, random.chance(50) {
                try contendForName(device)
            } else if plan.vocabulary != .first, random.chance(40) {
                try crossCopies(device)
            } else {
                try contend(device)
            }
        case 45..<73: try sync(device)
        case 73..<84: try syncFully(device)
        case 84..<88: cutOff(device, index)
        case 88..<96: try fail(device)
        default: try evict(device)
        }
        try look(at: device, afterSync: 45..<84 ~= what)
        try confirmRestores()
    }

    private func calmStep(_ device: SimulatedDevice) throws {
        record(device, try user(on: device, isCalm: true).act(&random, &ledger, &next))
        try notePackages(of: device)
        for device in devices { device.time.advance(by: .seconds(3)) }
        for _ in 0..<4 where try !isAtRest() { try syncAll() }
        stepProblems += try calmProblems()
    }

    // MARK: Users

    /// Lets all devices with a certain document write it, without having seen each other's writes.
    private func contend(_ device: SimulatedDevice) throws {
        guard let item = random.pick(try user(on: device).items { $0.kind == .file && !$0.isExcluded })
        else { return }
        for device in devices {
            let user = self.user(on: device)
            guard let own = try user.items(where: { $0.item == item.item }).first else { continue }
            let text = user.fresh(&random, &next)
            device.time.advance(by: .milliseconds(random.number(1..<300)))
            let how = random.chance(50) || own.isConflictSibling
            do {
                record(
                    device,
                    "all at once: "
                        + (how
                            ? try user.replace(own, by: "new.txt", text, &ledger)
                            : try user.overwrite(own, text, truncate: true, &ledger)))
            } catch { record(device, "all at once: \(try UserActions.text(of: error))") }
            try notePackages(of: device)
        }
    }

    // MARK: Devices

    /// Runs a step of the engine's loops.
    private func sync(_ device: SimulatedDevice) throws {
        device.time.advance(by: .milliseconds(random.number(0..<600)))
        switch random.number(0..<7) {
        case 0, 1: if device.isOnline, try device.fold() { record(device, "folds") }
        case 2: try device.followUnsettled()
        case 3: try upload(device)
        case 4: if try device.makeBatch() { record(device, "makes a batch") }
        case 5: if device.isOnline, try device.append() { record(device, "appends") }
        default: if device.isOnline, try device.download() { record(device, "downloads") }
        }
    }

    /// Uploads; sometimes a user acts meanwhile.
    private func upload(_ device: SimulatedDevice) throws {
        guard device.isOnline else { return }
        let isDone = try device.upload {
            guard random.chance(40) else { return }
            record(device, "meanwhile: " + (try user(on: device).act(&random, &ledger, &next)))
            try notePackages(of: device)
        }
        if isDone { record(device, "uploads") }
    }

    /// Runs a round of all loops, as the engine does.
    private func syncFully(_ device: SimulatedDevice) throws {
        guard device.isOnline else { return }
        record(device, "syncs")
        device.time.advance(by: .milliseconds(random.number(0..<600)))
        try device.syncFully()
    }

    /// Returns whether no device has anything to send or to fold.
    private func isAtRest() throws -> Bool {
        try devices.allSatisfy { device in
            try device.container().sequence.value == UInt64(cloud.length) && device.unrest().isEmpty
        }
    }

    func syncAll() throws {
        for device in devices {
            device.time.advance(by: .seconds(1))
            try device.syncFully()
        }
    }

    private func evict(_ device: SimulatedDevice) throws {
        if let path = try device.evictAny(&random) { record(device, "evicts \(path)") }
    }

    // MARK: Network

    /// Cuts a device off, alone or with all but one of its peers, for a while.
    private func cutOff(_ device: SimulatedDevice, _ index: Int) {
        guard device.isOnline else {
            device.offlineUntil = nil
            return record(device, "is online")
        }
        let end = index + random.number(1..<30)
        for other in devices where other === device || (random.chance(15) && other.number > 0) {
            other.offlineUntil = end
            record(other, "is cut off")
        }
    }

    private func reconnect(_ index: Int) {
        for device in devices where device.offlineUntil.map({ $0 <= index }) == true {
            device.offlineUntil = nil
            record(device, "is back")
        }
    }
}
