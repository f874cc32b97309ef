import DeviceSupport
import LocalMetadata
import TestSupport
import VirtualFileSystem

/// What goes wrong: deaths between and in the middle of things, repeats that come late, clocks that jump.
extension History {
    func fail(_ device: SimulatedDevice) throws {
        switch random.number(0..<10) {
        case 0..<2: try dieBetween(device)
        case 2..<7: try dieInside(device)
        case 7, 8:
            guard device.isOnline, let payload = random.pick(device.sent) else { return }
            cloud.append(payload)
            tell(device, "a batch arrives once more")
        default:
            let hours = random.number(-30..<30)
            device.time.advance(by: .seconds(3600 * hours))
            tell(device, "the clock jumps by \(hours) h")
        }
    }

    private func dieBetween(_ device: SimulatedDevice) throws {
        tell(device, "dies and starts")
        try excuseOpenFiles(of: device, &ledger)
        try device.crash()
        try start(device)
    }

    /// At some commit of what a user or the engine does, or just after it.
    private func dieInside(_ device: SimulatedDevice) throws {
        let (passes, isUser) = (random.number(0..<10), random.chance(60))
        var (supposed, text) = (ledger, "a sync")
        let isInside = try device.dying(at: passes) {
            if isUser {
                text = try UserActions(device: device).act(&random, &supposed, &next)
            } else if device.isOnline {
                try Self.syncFully(device)
            }
            try excuseOpenFiles(of: device, &supposed)
        }
        try start(device)
        tell(device, "dies \(isInside ? "at commit \(passes) of" : "after"): \(text)")
        guard isInside else {
            ledger = supposed
            return
        }
        let visible = try Snapshot(device).contents
        stepProblems += ledger.suppose(supposed, visible: visible, isAtomic: text.contains("by renaming"))
    }

    /// The first start may die as well.
    private func start(_ device: SimulatedDevice) throws {
        if random.chance(30), try device.dying(at: random.number(0..<4), in: { try device.start() }) {
            tell(device, "dies while it starts")
        }
        try device.start()
    }

    /// Written and not closed: either the old or the new may be found.
    private func excuseOpenFiles(of device: SimulatedDevice, _ ledger: inout Ledger) throws {
        for (handle, _) in device.parts.handles where handle.canWrite {
            guard let row = try device.metadata.read({ try $0.item(handle.file.node) }) else { continue }
            ledger.excuse(try device.text(of: row))
        }
    }
}
