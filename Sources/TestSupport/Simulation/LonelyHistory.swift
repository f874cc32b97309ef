import DeviceSupport
import LocalMetadata
import TestSupport
import VirtualFileSystem

/// A device that works and syncs alone: a sync has no reason to change any of its user's work.
///
/// A second device may follow: it shows the same once it has folded the first device's entries, and sends nothing
/// itself.
package final class LonelyHistory {
    package private(set) var story: [String] = []
    package private(set) var problems: [String] = []
    private let device: SimulatedDevice
    private let follower: SimulatedDevice?

    package init(
        seed: UInt64, steps: Int, hasFollower: Bool = false, vocabulary: Vocabulary = .usual, shared: SharedParts
    ) throws {
        var random = SeededGenerator(seed: seed)
        var ledger = Ledger()
        var next = 0
        let cloud = SimulatedCloud(bug: nil)
        device = try SimulatedDevice(number: 0, seed: seed, skew: .zero, cloud: cloud, shared: shared)
        follower =
            hasFollower ? try SimulatedDevice(number: 1, seed: seed, skew: .zero, cloud: cloud, shared: shared) : nil
        let user = UserActions(device: device, vocabulary: vocabulary)
        if vocabulary.ignoresCase { story.append(try user.switchCase()) }
        story.append(try user.populate(&ledger, &next))
        for _ in 0..<steps where problems.isEmpty {
            for _ in 0..<random.number(1..<6) {
                story.append(try user.act(&random, &ledger, &next))
            }
            // From now on files written and left open are shown with their current bytes.
            device.files.noteIdleEdits(pause: .seconds(2))
            let before = try Snapshot(device)
            device.time.advance(by: .seconds(1))
            if random.chance(30) { try sendWithoutUploads() }
            try device.syncFully()
            story.append("syncs")
            let after = try Snapshot(device)
            problems += before.difference(from: after)
            if random.chance(60) { try follow(after) }
        }
        try device.end()
        try follower?.end()
    }

    /// Sends everything sendable before the bytes of any edit are in the cloud.
    private func sendWithoutUploads() throws {
        story.append("sends without uploads")
        for _ in 0..<50 where try device.makeBatch() {
            try device.append()
            while try device.fold() {}
            try device.followUnsettled()
        }
        try follower?.syncFully()
    }

    /// I32: of two devices, only the one with an active user writes to the log.
    private func follow(_ shown: Snapshot) throws {
        guard let follower else { return }
        follower.time.advance(by: .seconds(1))
        let length = device.cloud.length
        try follower.syncFully()
        try follower.syncFully()
        story.append("the other device follows")
        if device.cloud.length != length { problems.append("the device that only follows sent a batch") }
        // Bytes still being written by a program are sent at its last close.
        guard try device.unrest().isEmpty, try UserActions(device: device).items(where: \.isWriting).isEmpty else {
            return
        }
        problems += shown.difference(from: try Snapshot(follower)).map { "on the other device, \($0)" }
    }
}
