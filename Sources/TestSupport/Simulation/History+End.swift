import Chunking
import CloudModel
import ContainerLog
import DeviceSupport
import LocalMetadata
import TestSupport
import VirtualFileSystem

/// The conditions that must hold once all faults are repaired.
extension History {
    private static let rounds = 60

    /// Repairs all faults, syncs all devices to the end, and returns the remaining problems.
    func problems() throws -> [String] {
        if let failure { return ["failed: \(failure)"] }
        guard stepProblems.isEmpty else { return stepProblems }
        cloud.repair()
        for device in devices {
            device.offlineUntil = nil
            for (handle, _) in device.parts.handles { device.files.release(handle) }
            device.parts.handles = []
            try notePackages(of: device)
        }
        try resetDiverged()
        guard try settle() else {
            return try ["no rest after \(Self.rounds) rounds"]
                + devices.flatMap { device in
                    try device.unrest().map { "\(device.name): \($0)" }
                }
        }
        return try check()
    }

    /// Syncs until a round appends nothing to the log, uploads no content and leaves no device anything to do.
    func settle() throws -> Bool {
        for _ in 0..<Self.rounds {
            let before = (cloud.length, cloud.stores)
            try syncAll()
            let isQuiet = before == (cloud.length, cloud.stores)
            if isQuiet, try devices.allSatisfy({ try $0.unrest().isEmpty }) { return true }
        }
        return false
    }

    private func check() throws -> [String] {
        if plan.vocabulary.hasPast { try join() }
        let snapshots = try devices.map(Snapshot.init)
        var found = snapshots.flatMap(\.problems) + differences(snapshots) + unreadable(snapshots)
        for (device, snapshot) in zip(devices, snapshots) {
            ledger.note(snapshot, on: device.number)
            found += packageLedger.problems(snapshot, on: device.number)
        }
        let visible = snapshots.reduce(into: Set<String>()) { $0.formUnion($1.contents) }
        found += try lostContents(hasReturned ? visible.subtracting([Snapshot.unreadable]) : visible)
        for (device, snapshot) in zip(devices, snapshots) {
            guard cloud.puts == 0 else { break }
            let doubled = snapshot.doubled.subtracting(ledger.exempt).subtracting(ledger.copies.keys).subtracting(
                ledger.returning
            ).sorted()
            found += doubled.map { "\(device.name) has ‘\($0)’ twice" }
        }
        let digests = try devices.map { device in
            let container = try device.container().id
            return try device.metadata.read { try TreeDigest(of: $0.remote(in: container)) }
        }
        if Set(digests).count > 1 { found.append("the folded logs differ") }
        found += try keyProblems() + foldingProblems()
        if !found.isEmpty {
            story += zip(devices, snapshots).map { "\($0.name) \($1.entries.sorted { $0.key < $1.key })" }
            story += cloud.log.map { text(of: $0) }
        }
        for device in devices { found += try restartProblems(device) }
        return found
    }

    private func lostContents(_ visible: Set<String>) throws -> [String] {
        let container = try devices[0].container().id
        return try devices[0].metadata.read { transaction in
            let tree = transaction.remote(in: container)
            return ledger.problems(visible: visible) { (try? tree.standingID(for: $0)) ?? $0 }
        }
    }

    private func differences(_ snapshots: [Snapshot]) -> [String] {
        guard let first = snapshots.first else { return [] }
        return zip(devices, snapshots).dropFirst().flatMap { device, snapshot in
            first.difference(from: snapshot).map { "\(devices[0].name) / \(device.name) \($0)" }
        }
    }

    /// Checks a restart at rest, which must find nothing to repair but leftovers, and leave none.
    private func restartProblems(_ device: SimulatedDevice) throws -> [String] {
        try device.crash(closesDatabase: false)
        try device.start()
        let found =
            try device.leftovers() + device.contradictions() + device.unrest()
            + (device.hasLostPower ? device.metadata.integrityProblems() : [])
        return found.map { "\(device.name): \($0)" }
    }

    /// Returns a digest of all events, equal in every run of the plan.
    func digest() -> String {
        let text = story.joined(separator: "\n").utf8
        return ChunkID.of(Array(text) + cloud.log.flatMap { $0 }).description
    }
}

/// The conditions that must hold at any time.
extension History {
    /// Checks the acting device, after each step.
    func look(at device: SimulatedDevice, afterSync isSync: Bool) throws {
        let snapshot = try Snapshot(device)
        ledger.note(snapshot, on: device.number)
        if isSync {
            stepProblems += packageLedger.problems(snapshot, on: device.number).map { "\(device.name): \($0)" }
        } else {
            packageLedger.note(snapshot, on: device.number)
        }
        let lies = random.chance(30) ? try device.lies(&random) : []
        let mismatches = try device.sealEdits()
        let invented = ledger.invented(in: snapshot.contents.subtracting([Snapshot.unreadable]))
        let stale = try device.staleRows()
        stepProblems += (snapshot.problems + lies + mismatches + invented + stale).map {
            "\(device.name), in between: \($0)"
        }
    }

    /// Records a user's packages, before anything else changes them.
    func notePackages(of device: SimulatedDevice) throws {
        let snapshot = try Snapshot(device)
        ledger.note(snapshot, on: device.number)
        packageLedger.note(snapshot, on: device.number)
    }

    /// Checks that all devices show the same, without a conflict, once every device has seen everything.
    func calmProblems() throws -> [String] {
        let snapshots = try devices.map(Snapshot.init)
        let conflicts = snapshots.first?.entries.filter { $0.value.contains("of a conflict") }.keys.sorted() ?? []
        return snapshots.flatMap(\.problems) + differences(snapshots)
            + conflicts.map { "\($0): a conflict, although every writer had seen the version before" }
    }
}
