import DeviceSupport
import TestSupport
import VirtualFileSystem

/// One device that works and syncs alone: a sync has no reason to change anything that its user made.
package final class LonelyHistory {
    package private(set) var story: [String] = []
    package private(set) var problems: [String] = []

    package init(seed: UInt64, steps: Int, shared: SharedParts) throws {
        var random = SeededGenerator(seed: seed)
        var ledger = Ledger()
        var next = 0
        let device = try SimulatedDevice(
            number: 0, seed: seed, skew: .zero, cloud: SimulatedCloud(bug: nil), shared: shared)
        story.append(try UserActions(device: device).populate(&ledger, &next))
        for _ in 0..<steps where problems.isEmpty {
            for _ in 0..<random.number(1..<6) {
                story.append(try UserActions(device: device).act(&random, &ledger, &next))
            }
            // From now on files that were written and left open are shown with their present bytes.
            device.files.noteIdleEdits(pause: .seconds(2))
            let before = try Snapshot(device)
            device.time.advance(by: .seconds(1))
            try device.syncFully()
            story.append("syncs")
            problems += before.difference(from: try Snapshot(device))
        }
        try device.end()
    }
}
