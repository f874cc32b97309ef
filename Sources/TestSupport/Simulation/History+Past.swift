import Basics
import CloudModel
import CloudStorage
import ContainerLog
import DeviceSupport
import LocalMetadata
import TestSupport
import VirtualFileSystem

/// The returning past: device and cloud states restored from copies, and devices started from a copy.
extension History {
    private static let mostDevices = 6

    func travel(_ device: SimulatedDevice) throws {
        if plan.vocabulary.hasRestores, random.chance(40) {
            return random.chance(70) ? try restoreDeleted(device) : try crossRestore(device)
        }
        switch random.number(0..<16) {
        case 0..<4: try copyState(of: device)
        case 4..<7: try putBackState(of: device)
        case 7..<9: try startCopy()
        case 9..<12:
            cloudCopies = (cloudCopies + [cloud.copy()]).suffix(3)
            record(device, "the cloud is copied, with \(cloud.length) entries")
        case 12..<14: try putBackCloud(device)
        default: try reset(device)
        }
    }

    // MARK: States of devices

    /// Copies a state: of a stopped device, of a running device, or of a device at work between the copies of two
    /// parts.
    private func copyState(of device: SimulatedDevice) throws {
        var copy = StateCopy()
        let (first, second): (StateCopy.Part, StateCopy.Part) =
            random.chance(50) ? (.content, .database) : (.database, .content)
        let isStopped = random.chance(30)
        if isStopped {
            try excuseOpenFiles(of: device, &ledger)
            try device.crash()
        }
        try copy.add(first, of: device.disk.directory)
        var text = isStopped ? "its state is copied, while it is stopped" : "its state is copied"
        if isStopped {
            try device.start()
        } else if random.chance(40) {
            let isUser = random.chance(60)
            text = isUser ? try user(on: device).act(&random, &ledger, &next) : "a sync"
            if !isUser, device.isOnline { try device.syncFully() }
            try notePackages(of: device)
            text = "its state is copied, \(first) first, and meanwhile: \(text)"
        }
        try copy.add(second, of: device.disk.directory)
        stateCopies = (stateCopies + [(device.number, copy)]).suffix(4)
        record(device, text)
    }

    private func putBackState(of device: SimulatedDevice) throws {
        guard let copy = random.pick(stateCopies.filter { $0.of == device.number }) else { return }
        try putBack(copy.copy, of: device)
    }

    func putBack(_ copy: StateCopy, of device: SimulatedDevice) throws {
        try forgetUnsent(of: device)
        try device.putBack(copy)
        record(device, "its state is put back")
        try noteReturn(of: device)
    }

    /// Starts a copy of a device's state beside it.
    private func startCopy() throws {
        guard devices.count < Self.mostDevices, let copy = random.pick(stateCopies) else { return }
        // No clock shows the same nanosecond twice.
        let now = devices.map { $0.time.now() }.max() ?? .zero
        let device = try SimulatedDevice(
            number: devices.count, seed: plan.seed,
            skew: .nanoseconds(now.nanoseconds - SimulatedDevice.start.nanoseconds + 1_000_003),
            cloud: cloud, shared: shared, gathersCloses: random.chance(50), from: copy.copy)
        devices.append(device)
        record(device, "starts from a copy of the state of \(devices[copy.of].name)")
        try noteReturn(of: device)
    }

    /// Excuses contents only on this device: they are lost with its state.
    private func forgetUnsent(of device: SimulatedDevice) throws {
        try excuseOpenFiles(of: device, &ledger)
        let logged = try loggedTexts()
        // Of a copied content, the log may have only the other copy.
        for content in try Snapshot(device).contents
        where !logged.all.contains(content) || ledger.copies[content] != nil {
            ledger.excuse(content)
        }
        // Its unlogged replacements and deletions are lost as well, of a copied content also those of one copy.
        ledger.mayReturn(ledger.goneSomewhere.intersection(logged.current))
    }

    /// Notes that a device shows an earlier state. Its unsent edits meet later contents as conflicts, also where they
    /// were sent and replaced since.
    private func noteReturn(of device: SimulatedDevice) throws {
        hasReturned = true
        try giveUpLost(device)
        let snapshot = try Snapshot(device)
        keyLedger.hasPast = true
        packageLedger.noteReturn()
        packageLedger.note(snapshot, on: device.number)
        ledger.mayReturn(try device.unsentTexts())
        ledger.note(snapshot, on: device.number)
        let container = try device.container().id
        // A never-sent batch may delete again.
        if try device.metadata.read({ try $0.pending.batch(of: container) }) != nil { ledger.excuseRestored() }
    }

    // MARK: The cloud

    private func putBackCloud(_ device: SimulatedDevice) throws {
        guard let copy = random.pick(cloudCopies), copy.entries.end != cloud.copy().entries.end else { return }
        let isWhole = devices.reduce(into: Set<String>()) { $0.formUnion((try? $1.wholeTexts()) ?? []) }
        cloud.putBack(copy)
        let logged = try loggedTexts().all
        for bytes in cloud.formerContents.values {
            let text = String(decoding: bytes, as: UTF8.self)
            guard !isWhole.contains(text),
                cloud.contents[SimulatedCloud.name(of: bytes)] == nil || !logged.contains(text)
            else { continue }
            ledger.excuse(text)
            hasLostBytes = true
        }
        // Two copies of a content may have become one document in the lost part of the log.
        for text in ledger.copies.keys { ledger.excuse(text) }
        noteCloudReturn()
        record(device, "the cloud goes back to \(cloud.length) entries")
        for device in devices where random.chance(50) {
            let paths = try device.evictAll()
            if !paths.isEmpty { record(device, "evicts \(paths.joined(separator: ", "))") }
        }
    }

    private func noteCloudReturn() {
        hasReturned = true
        ledger.mayReturn(ledger.written)
        keyLedger.hasPast = true
        packageLedger.noteReturn()
    }

    /// Lets the user of a device that has read the cloud's lost part rebuild its state.
    func reset(_ device: SimulatedDevice) throws {
        guard device.isOnline, try device.isDiverged() else { return }
        try excuseOpenFiles(of: device, &ledger)
        // Bytes of a file without a name are recovered as a document.
        for (handle, _) in device.parts.handles where handle.canWrite {
            let bytes = try? device.files.withDescriptor(handle) { try SimulatedDevice.bytes(of: $0) }
            ledger.excuse(bytes.map { String(decoding: $0, as: UTF8.self) })
        }
        for text in ledger.nameless { ledger.excuse(text) }
        try device.reset()
        noteCloudReturn()
        record(device, "is reset")
        try notePackages(of: device)
    }

    /// Lets every device look at the cloud, and resets those that have read its lost part.
    func resetDiverged() throws {
        guard plan.vocabulary.hasPast else { return }
        for device in devices {
            try device.syncFully()
            try reset(device)
        }
    }

    // MARK: The end

    /// Lets a new device join, which must show the same as all existing devices.
    func join() throws {
        let device = try SimulatedDevice(
            number: devices.count, seed: plan.seed, skew: .zero, cloud: cloud, shared: shared)
        devices.append(device)
        // It may send the mode of a conflict version turned into a document.
        guard try settle() else { throw BrokenRule(what: "no rest after a device joined") }
    }

    /// Returns a problem for each document unreadable on every device, unless the last copy of some bytes was lost when
    /// an older state replaced a newer one.
    func unreadable(_ snapshots: [Snapshot]) -> [String] {
        guard !hasLostBytes else { return [] }
        return zip(devices, snapshots).flatMap { device, snapshot in
            snapshot.unreadablePaths.map { "\(device.name) cannot read \($0)" }
        }
    }

    // MARK: The log

    /// Returns the texts of all contents ever taken by the log, and of those in its tree, conflict versions included.
    func loggedTexts() throws -> (all: Set<String>, current: Set<String>) {
        var (tree, taken) = (DictionaryTree(), Set<ContentReference>())
        for record in cloud.copy().entries.records {
            guard let batch = try? ChangeBatch(decoding: record.payload) else {
                try ContainerReducer().foldVoid(at: record.position, into: &tree)
                continue
            }
            let result = try ContainerReducer().fold(batch, at: record.position, into: &tree)
            if !result.isRefused, !result.isRepeat { taken.formUnion(batch.contents) }
        }
        return (texts(taken), texts(Set(tree.allItems.flatMap(\.neededContents))))
    }

    private func texts(_ contents: Set<ContentReference>) -> Set<String> {
        Set(contents.compactMap { cloud.formerContents[$0] }.map { String(decoding: $0, as: UTF8.self) })
    }
}
