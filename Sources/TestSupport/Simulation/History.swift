import Basics
import CloudModel
import DeviceSupport
import Foundation
import LocalMetadata
import Synchronization
import TestSupport

/// One random history of a few devices, from its plan alone: users act, devices sync step by step, replies are lost and come late,
/// clocks jump, processes die anywhere. Then all is healed, and everybody has to show the same, with nothing lost and nothing back.
package final class History {
    let plan: Plan
    var story: [String] = []
    var random: SeededGenerator
    var ledger = Ledger()
    var next = 0
    var failure: (any Error)?
    var stepProblems: [String] = []
    let cloud: SimulatedCloud
    let devices: [SimulatedDevice]
    private let root: String
    private static let serial = Atomic(0)

    /// Lives through a plan and leaves nothing on the disk.
    package static func live(_ plan: Plan, shared: SharedParts) throws -> Outcome {
        let history = try History(plan, shared: shared)
        defer { history.cleanUp() }
        var found: [String]
        do { found = try history.problems() } catch { found = ["failed at the end: \(error)"] }
        return Outcome(plan: plan, problems: found, story: history.story, digest: try history.digest())
    }

    private init(_ plan: Plan, shared: SharedParts) throws {
        self.plan = plan
        random = plan.random(of: nil)
        cloud = SimulatedCloud(bug: plan.bug)
        let number = Self.serial.add(1, ordering: .relaxed).newValue
        root = "\(Self.scratch)/ubiquity-\(getpid())-\(number)"
        var devices: [SimulatedDevice] = []
        for number in 0..<random.number(2..<4) {
            let skew = Duration.seconds(random.chance(30) ? random.number(-4000..<4000) : 0)
            devices.append(
                try SimulatedDevice(
                    number: number, seed: plan.seed, skew: skew, cloud: cloud, shared: shared, below: root))
        }
        self.devices = devices
        do {
            if random.chance(80) { try begin() }
            for index in plan.steps where stepProblems.isEmpty {
                random = plan.random(of: index)
                next = (index + 1) * 100
                try step()
            }
        } catch {
            story.append("failed: \(error)")
            failure = error
        }
    }

    /// A disk in memory where there is one: histories are many small commits.
    static let scratch =
        FileManager.default.isWritableFile(atPath: "/dev/shm") ? "/dev/shm" : NSTemporaryDirectory()

    /// Ends all devices and removes what they kept.
    private func cleanUp() {
        for device in devices where device.isRunning { try? device.crash() }
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
        switch random.number(0..<100) {
        case 0..<44: tell(device, try UserActions(device: device).act(&random, &ledger, &next))
        case 44..<73: try sync(device)
        case 73..<85: try syncFully(device)
        case 85..<89:
            device.isOnline.toggle()
            tell(device, device.isOnline ? "is online" : "is offline")
        case 89..<95: try fail(device)
        default: try evict(device)
        }
        stepProblems = try Snapshot(device).problems.map { "\(device.name), in between: \($0)" }
    }

    func tell(_ device: SimulatedDevice, _ text: String) {
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
            guard random.chance(40) else { return }
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

    private func evict(_ device: SimulatedDevice) throws {
        if let path = try device.evictAny(&random) { tell(device, "evicts \(path)") }
    }
}
