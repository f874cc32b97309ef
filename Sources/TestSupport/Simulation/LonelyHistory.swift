import DeviceSupport
import Foundation
import TestSupport

/// One device that works and syncs with nobody beside it: the cloud has no reason to change anything that its user made.
package final class LonelyHistory {
    package private(set) var story: [String] = []
    package private(set) var problems: [String] = []

    package init(seed: UInt64, steps: Int, shared: SharedParts) throws {
        var random = SeededGenerator(seed: seed)
        var ledger = Ledger()
        var next = 0
        let root = "\(History.scratch)/ubiquity-lonely-\(getpid())-\(seed)"
        let device = try SimulatedDevice(
            number: 0, seed: seed, skew: .zero, cloud: SimulatedCloud(bug: nil), shared: shared, below: root)
        defer {
            try? device.crash()
            try? FileManager.default.removeItem(atPath: root)
        }
        story.append(try UserActions(device: device).populate(&ledger, &next))
        for _ in 0..<steps where problems.isEmpty {
            for _ in 0..<random.number(1..<6) {
                story.append(try UserActions(device: device).act(&random, &ledger, &next))
            }
            let before = try Snapshot(device)
            device.time.advance(by: .seconds(1))
            try History.syncFully(device)
            story.append("syncs")
            problems += before.difference(from: try Snapshot(device))
        }
    }
}
