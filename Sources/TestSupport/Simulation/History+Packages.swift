import CloudModel
import DeviceSupport
import LocalMetadata
import TestSupport
import VirtualFileSystem

/// Histories of several devices working in the same package.
extension History {
    var isAboutPackages: Bool { plan.seed % 16 == 9 }

    /// Creates a package on all devices.
    func beginPackage() throws {
        let user = self.user(on: devices[0])
        let package = try devices[0].files.makeFolder(
            Array("p.app".utf8), in: devices[0].root, permissions: 0o755, caller: user.caller)
        for name in UserActions.names {
            record(devices[0], try user.save(name, in: package.node, "first \(name)", &ledger))
        }
    }

    /// Lets several devices change a package at the same time, so their batches cross on the way to the log.
    func cross(_ device: SimulatedDevice) throws {
        guard let package = random.pick(try user(on: device).items(where: \.isPackage)) else { return }
        var senders: [SimulatedDevice] = []
        for device in devices where device === devices[0] || random.chance(75) {
            guard let own = try user(on: device).items(where: { $0.item == package.item }).first else {
                continue
            }
            device.time.advance(by: .milliseconds(random.number(1..<300)))
            do { record(device, "in one package: \(try change(own, user(on: device)))") } catch {
                record(device, "in one package: \(try UserActions.text(of: error))")
            }
            try notePackages(of: device)
            guard random.chance(80), device.isOnline else { continue }
            device.time.advance(by: .seconds(1))
            try device.upload()
            if try device.makeBatch() { senders.append(device) }
        }
        for device in senders where random.chance(70) {
            record(device, "sends its batch")
            try device.append()
        }
    }

    private func change(_ package: LocalItem, _ user: UserActions) throws -> String {
        let files = try user.items { $0.kind == .file && $0.parent == package.node && !$0.isConflictSibling }
        let (what, file) = (random.number(0..<10), random.pick(files))
        let text = user.fresh(&random, &next)
        switch (what, file) {
        case (0..<5, let file?): return try user.overwrite(file, text, truncate: true, &ledger)
        case (5, let file?): return try user.replace(file, by: "new.txt", text, &ledger)
        case (6..<8, let file?): return try user.unlink(file, &ledger)
        default: return try user.save(user.name(&random), in: package.node, text, &ledger)
        }
    }
}
