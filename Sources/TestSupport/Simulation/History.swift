import Basics
import CloudModel
import DeviceSupport
import LocalMetadata
import TestSupport

/// A random history of a few devices, determined by its plan alone: users act, devices sync step by step, replies are
/// lost or arrive late, clocks jump, disks fill, and processes die at any point. Then all faults are repaired, and all
/// devices must show the same, with no content lost and no deleted content restored.
package final class History {
    let plan: Plan
    var story: [String] = []
    var random: SeededGenerator
    var ledger = Ledger()
    var keyLedger = KeyLedger()
    var packageLedger = PackageLedger()
    var next = 0
    var failure: (any Error)?
    var stepProblems: [String] = []
    let cloud: SimulatedCloud
    var devices: [SimulatedDevice]
    /// Copies of devices' states and of the cloud, oldest first.
    var stateCopies: [(of: Int, copy: StateCopy)] = []
    var cloudCopies: [SimulatedCloud.Copy] = []
    /// Whether bytes were lost when an older state replaced a newer one.
    var hasLostBytes = false
    /// Whether a state or the cloud was put back. A document announced then may wait for bytes stored elsewhere.
    var hasReturned = false
    let shared: SharedParts

    /// Runs a plan and leaves nothing on the disk.
    package static func live(_ plan: Plan, shared: SharedParts) throws -> Outcome {
        let history = try History(plan, shared: shared)
        var found: [String]
        do { found = try history.problems() } catch { found = ["failed at the end: \(error)"] }
        for device in history.devices { try device.end() }
        return Outcome(
            plan: plan, problems: found, story: history.story, digest: history.digest(), log: history.cloud.log)
    }

    private init(_ plan: Plan, shared: SharedParts) throws {
        self.plan = plan
        self.shared = shared
        random = plan.random(of: nil)
        let cloud = SimulatedCloud(bug: plan.bug)
        self.cloud = cloud
        let count = random.pick([2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3, 4, 4, 5]) ?? 3
        var devices: [SimulatedDevice] = []
        for number in 0..<count {
            let skew = Duration.seconds(random.chance(30) ? random.number(-40_000..<40_000) : 0)
            let gathersCloses = plan.vocabulary.hasWaitingCloses && (plan.seed &+ UInt64(number)) % 3 != 0
            devices.append(
                try SimulatedDevice(
                    number: number, seed: plan.seed, skew: skew, cloud: cloud, shared: shared,
                    gathersCloses: gathersCloses))
        }
        self.devices = devices
        do {
            let isOpen = try plan.vocabulary.ignoresCase && beginIgnoringCase()
            if !isOpen, random.chance(80) { try begin() }
            for index in plan.steps where stepProblems.isEmpty {
                random = plan.random(of: index)
                next = (index + 1) * 100
                try step(index)
                try writeKey(index)
            }
        } catch {
            story.append("failed: \(error)")
            failure = error
        }
    }

    /// Begins with a few files on all devices.
    private func begin() throws {
        let actions = user(on: devices[0])
        record(devices[0], try actions.populate(&ledger, &next))
        if isAboutPackages { try beginPackage() }
        for _ in 0..<2 { try syncAll() }
        for device in devices { try notePackages(of: device) }
        record(devices[0], "and all sync")
    }

    func user(on device: SimulatedDevice, isCalm: Bool = false) -> UserActions {
        UserActions(
            device: device, isCalm: isCalm, vocabulary: plan.vocabulary, others: devices.filter { $0 !== device })
    }

    func record(_ device: SimulatedDevice, _ text: String) {
        story.append("[\(story.count)] \(device.name): \(text)")
    }
}
