import Basics
import TestSupport

/// A random history of devices sharing a cloud and collecting its garbage. Any actor may stall between any two of its
/// steps for as long as the history lasts, die, and be continued by a different device; requests arrive late.
package struct CollectionHistory {
    package struct Outcome: Sendable {
        package let plan: CollectionHistoryPlan
        package let problem: String?
        package let figures: CollectionFigures
        package let story: [String]

        package var report: String {
            "seed \(plan.seed)\(plan.mistake.map { ", \($0.rawValue)" } ?? ""), \(plan.steps.count) steps: "
                + "\(problem ?? "well")\n\(story.joined(separator: "\n"))"
        }
    }

    private let plan: CollectionHistoryPlan
    private let cloud: CollectionCloud
    private let devices: [CollectingDevice]
    /// The step until which each actor stalls: uploaders, then collectors.
    private var stalls: [Int]

    package static func live(_ plan: CollectionHistoryPlan) throws -> Outcome {
        var history = CollectionHistory(plan)
        defer { for device in history.devices { device.end() } }
        try history.run()
        var figures = history.cloud.figures
        (figures.histories, figures.steps) = (1, plan.steps.count)
        return Outcome(plan: plan, problem: history.cloud.problem, figures: figures, story: history.cloud.story)
    }

    private init(_ plan: CollectionHistoryPlan) {
        var random = SeededGenerator(seed: plan.seed ^ 0xC011_EC7)
        self.plan = plan
        let cloud = CollectionCloud(plan)
        self.cloud = cloud
        devices = (1...UInt64(random.number(2..<5))).map { CollectingDevice($0, cloud) }
        stalls = Array(repeating: 0, count: devices.count * 2)
    }

    private mutating func run() throws {
        for step in plan.steps {
            var random = plan.random(of: step)
            try live(step, &random)
            if cloud.problem != nil { return }
        }
        try end()
    }

    private mutating func live(_ step: Int, _ random: inout SeededGenerator) throws {
        let index = random.number(0..<devices.count)
        switch random.number(0..<100) {
        case 0..<48: try act(index, isCollector: false, step, &random)
        case 48..<84: try act(index, isCollector: true, step, &random)
        case 84..<89: try devices[index].follow(random.number(1..<8))
        case 89..<91: devices[index].die(&random)
        case 91..<95: try cloud.deliver(&random)
        default:
            let hours: Int64 = random.pick([1, 12, 25, 25, 25, 200, 31 * 24]) ?? 1
            cloud.note("\(hours) hours pass")
            cloud.now = cloud.now.adding(.seconds(hours * 3_600))
        }
    }

    /// Runs some steps of an actor that does not stall.
    private mutating func act(
        _ index: Int, isCollector: Bool, _ step: Int, _ random: inout SeededGenerator
    ) throws {
        let actor = isCollector ? devices.count + index : index
        guard stalls[actor] <= step else { return }
        for _ in 0..<random.number(1..<6) {
            if isCollector {
                try devices[index].collector?.step(&random)
            } else {
                try devices[index].uploader?.step(&random)
            }
        }
        if random.chance(12) { stalls[actor] = step + random.number(1..<100) }
    }

    // MARK: The end

    /// Lets everything come to rest, and checks that every upload ended and that garbage is gone.
    private func end() throws {
        var random = plan.random(of: -1)
        cloud.note("the end")
        try cloud.deliverAll()
        var rounds = 0
        while devices.contains(where: { $0.uploader?.isIdle == false || $0.collector?.isIdle == false }) {
            rounds += 1
            guard rounds < 2_000 else { return cloud.fail("an upload or a collection does not end") }
            for device in devices {
                if let uploader = device.uploader, !uploader.isIdle { try uploader.step(&random) }
                if let collector = device.collector, !collector.isIdle { try collector.step(&random) }
            }
            if rounds % 20 == 0 { try cloud.deliverAll() }
        }
        try cloud.deliverAll()
        for device in devices { try device.follow() }
        guard cloud.problem == nil else { return }
        // Contents superseded at the end leave the history first. Then proposals of other devices come to their end,
        // and one more collection removes the rest.
        cloud.now = cloud.now.adding(.seconds(33 * 86_400))
        for _ in 0..<4 { try collect(&random) }
        let garbage = cloud.garbage()
        guard cloud.problem == nil, !garbage.isEmpty else { return }
        cloud.fail("garbage is left after the last collection: \(garbage.map(\.text))")
    }

    private func collect(_ random: inout SeededGenerator) throws {
        guard let collector = devices[0].collector else { return }
        var steps = 0
        repeat {
            try collector.step(&random)
            steps += 1
            guard steps < 2_000 else { return cloud.fail("a collection does not end") }
        } while !collector.isIdle
        try cloud.deliverAll()
        cloud.now = cloud.now.adding(.seconds(2 * 86_400))
    }
}
