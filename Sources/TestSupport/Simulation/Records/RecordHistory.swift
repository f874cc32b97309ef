import Basics
import CloudModel
import Records
import TestSupport

/// Lives through a random history of three devices with one shared database: they write offline for any time, under schemas of two versions,
/// with clocks days apart; their files overtake one another; they crash, and read the log now and then. At the end all are online.
package struct RecordHistory {
    package struct Plan: Sendable {
        package var seed: UInt64
        package var steps: Int
        package var mistake: RecordMistake?

        package init(seed: UInt64, steps: Int = 60, mistake: RecordMistake? = nil) {
            (self.seed, self.steps, self.mistake) = (seed, steps, mistake)
        }
    }

    package struct Outcome: Sendable {
        package let plan: Plan
        package let problem: String?
        package let story: [String]
        package let figures: RecordFigures

        package var report: String {
            "seed \(plan.seed), \(plan.steps) steps: \(problem ?? "all is well")\n" + story.joined(separator: "\n")
        }
    }

    private var random: SeededGenerator
    private var devices: [RecordDevice]
    private var cloud = RecordCloud()
    /// Files on their way: written, and not in the log yet.
    private var uploads: [(file: RecordFile, time: Timestamp)] = []
    private var ledger = RecordLedger()
    private var story: [String] = []
    private var rows: UInt64 = 0
    private let plan: Plan

    private init(_ plan: Plan) {
        self.plan = plan
        random = SeededGenerator(seed: plan.seed)
        devices = (0..<3).map { RecordDevice(number: $0, mistake: plan.mistake) }
    }

    package static func live(_ plan: Plan) throws -> Outcome {
        var history = RecordHistory(plan)
        for _ in 0..<plan.steps { try history.step() }
        try history.meet()
        let newcomer = try history.newcomer()
        let problem = try history.problem(newcomer)
        return Outcome(
            plan: plan, problem: problem, story: history.story,
            figures: RecordFigures(newcomer.confirmed.records, entries: history.ledger.entries.count))
    }

    // MARK: Steps

    private mutating func step() throws {
        let index = random.number(0..<devices.count)
        switch random.number(0..<20) {
        case 0..<10: try act(index)
        case 10..<13:
            guard let file = devices[index].publish(&random, cloud: cloud) else { return }
            uploads.append((file, clock(index)))
            story.append("\(index) writes file \(file.number) with \(file.transactions.count) transactions")
        case 13..<15: upload()
        case 15..<18:
            try devices[index].sync(with: cloud)
            story.append("\(index) reads the log")
        case 18:
            try devices[index].crash(with: cloud)
            story.append("\(index) crashes")
        default:
            guard devices[index].version == 1 else { return }
            devices[index].version = 2
            story.append("\(index) updates its program")
        }
    }

    private mutating func act(_ index: Int) throws {
        var user = RecordUser(
            view: try devices[index].view(), version: devices[index].version, device: index, mistake: plan.mistake)
        let changes = user.act(&random, rows: &rows)
        guard !changes.isEmpty else { return }
        let unions = devices[index].unions(in: user.view)
        ledger.add(changes, by: devices[index].id, knowing: devices[index].base, unions: unions)
        devices[index].commit(changes, clock: clock(index), unions: unions)
        story += user.story.map { "\(index) \($0)" }
    }

    private mutating func upload() {
        guard !uploads.isEmpty else { return }
        let upload = uploads.remove(at: random.number(0..<uploads.count))
        cloud.append(upload.file, time: upload.time)
        story.append("file \(upload.file.number) of \(upload.file.deviceName) is in the log as \(cloud.entries.count)")
    }

    /// The clock of a device: they are days apart, and one runs backwards.
    private func clock(_ index: Int) -> Timestamp {
        let step = Int64(story.count)
        return Timestamp(seconds: 1_760_000_000 + Int64(index) * 86_400 + (index == 1 ? -step : step))
    }

    // MARK: The end

    /// All devices send what they have and read the log.
    private mutating func meet() throws {
        for index in devices.indices {
            while let file = devices[index].publish(&random, cloud: cloud) { uploads.append((file, clock(index))) }
        }
        while !uploads.isEmpty { upload() }
        for index in devices.indices { try devices[index].sync(with: cloud) }
    }

    /// A device that reads the whole log at once, as the rules say.
    private func newcomer() throws -> RecordDevice {
        let storeMistakes: Set<RecordMistake> = [
            .forgetsLost, .forgetsTombstones, .forgetsAliases, .seesNoChildren, .seesNoTwins,
        ]
        let mistake = plan.mistake.flatMap { storeMistakes.contains($0) ? $0 : nil }
        var newcomer = RecordDevice(number: 9, mistake: mistake)
        try newcomer.sync(with: cloud)
        return newcomer
    }

    private func problem(_ newcomer: RecordDevice) throws -> String? {
        for device in devices {
            guard device.pending.isEmpty else { return "device \(device.number) did not find its own transactions" }
            guard device.confirmed == newcomer.confirmed else {
                return "device \(device.number) has other rows than a device that reads the whole log"
            }
            guard try device.view() == device.confirmed.records else { return "a device shows other rows than it has" }
        }
        var ledger = ledger
        ledger.place(cloud)
        return ledger.problem(in: newcomer.confirmed.records) ?? newcomer.confirmed.records.violation
    }
}
