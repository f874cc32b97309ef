import Basics
import CloudModel
import Records
import TestSupport

/// Lives through a random history of three devices with one shared database: they write offline for any time, under
/// schemas of two versions, with clocks days apart; their files overtake each other; they crash, and read the log now
/// and then. They write baselines, remove the files those represent, and take them after a long absence; further
/// devices join. At the end all are online.
package struct RecordHistory {
    package struct Plan: Sendable {
        package var seed: UInt64
        package var steps: Int
        package var mistake: RecordMistake?

        package init(seed: UInt64, steps: Int = 100, mistake: RecordMistake? = nil) {
            (self.seed, self.steps, self.mistake) = (seed, steps, mistake)
        }

        /// Whether the devices often maintain the log's files.
        var isOfBaselines: Bool { seed.isMultiple(of: 3) }
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
    /// On their way: written, and not in the log yet.
    private var uploads: [RecordCloud.Upload] = []
    private var taken = 0
    private var removals = 0
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
        let oracle = try history.newcomer(false)
        let problem = try history.problem(oracle)
        var figures = RecordFigures(oracle.confirmed.records, entries: history.ledger.entries.count)
        (figures.baselines, figures.removals) = (history.taken, history.removals)
        return Outcome(plan: plan, problem: problem, story: history.story, figures: figures)
    }

    // MARK: Steps

    private mutating func step() throws {
        let index = random.number(0..<devices.count)
        if plan.isOfBaselines, random.number(0..<3) == 0 { return try upkeep(index) }
        switch random.number(0..<28) {
        case 20..<24: try writeBaseline(index)
        case 24..<26: try remove(index)
        case 26:
            devices[index].days += random.pick([1, 30, 61, 70]) ?? 1
            story.append("\(index) has day \(devices[index].days)")
        case 27:
            guard devices.count < 5 else { return }
            devices.append(RecordDevice(number: devices.count, mistake: plan.mistake))
            story.append("\(devices.count - 1) joins")
        case 0..<10: try act(index)
        case 10..<13: publish(index)
        case 13..<15: for _ in 0..<random.number(1..<5) { try upload() }
        case 15..<18:
            try sync(index)
        case 18: try crash(index)
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

    private mutating func publish(_ index: Int) {
        guard let file = devices[index].publish(&random, cloud: cloud) else { return }
        uploads.append(.file(file, time: clock(index)))
        story.append("\(index) writes file \(file.number) with \(file.transactions.count) transactions")
    }

    /// A device dying before it has noted a written file looks for it, and finds it, or a baseline representing it.
    private mutating func crash(_ index: Int) throws {
        try devices[index].crash(with: cloud)
        story.append("\(index) crashes")
        guard plan.mistake == .countsRewrittenFiles, let file = devices[index].last else { return }
        uploads.append(.again(file, time: clock(index)))
    }

    /// A device's work without a user, all at once: otherwise baselines are rarely complete, and files are hardly ever
    /// removed.
    private mutating func upkeep(_ index: Int) throws {
        if random.number(0..<4) == 0 { try crash(index) }
        publish(index)
        try writeBaseline(index)
        for _ in 0..<random.number(4..<12) { try upload() }
        try sync(index)
        try remove(index)
    }

    private mutating func upload() throws {
        guard !uploads.isEmpty else { return }
        story.append(try cloud.append(uploads.remove(at: random.number(0..<uploads.count))))
    }

    private mutating func sync(_ index: Int) throws {
        let tookBaseline = try devices[index].sync(with: cloud)
        taken += tookBaseline ? 1 : 0
        story.append("\(index) reads the log\(tookBaseline ? " and takes a baseline" : "")")
    }

    /// Creates a baseline if it is due, or writes the next file of the existing baseline.
    private mutating func writeBaseline(_ index: Int) throws {
        for _ in 0..<random.number(1..<4) {
            guard let upload = devices[index].writeBaselineFile() else { break }
            uploads.append(upload)
            story.append("\(index) writes a file of its baseline")
        }
        guard try devices[index].prepareBaseline(knowing: cloud) else { return }
        story.append("\(index) makes a baseline at \(devices[index].base.version)")
        if plan.mistake == .removesTooEarly {
            let files = devices[index].folded.mapValues(\.file)
            story.append(try cloud.append(.removal(of: files, baselines: [])))
        }
    }

    private mutating func remove(_ index: Int) throws {
        // Some devices are away for long meanwhile.
        devices[index].days += random.pick([0, 0, 61, 70]) ?? 0
        guard let removal = try devices[index].removal(from: cloud) else { return }
        uploads.append(removal)
        removals += 1
        story.append("\(index) removes old files")
    }

    /// A device's clock: they are days apart, and one runs backwards.
    private func clock(_ index: Int) -> Timestamp {
        let step = Int64(story.count)
        return Timestamp(seconds: 1_760_000_000 + Int64(index) * 86_400 + (index == 1 ? -step : step))
    }

    // MARK: The end

    /// All devices send their pending work and read the log.
    private mutating func meet() throws {
        for index in devices.indices {
            while let file = devices[index].publish(&random, cloud: cloud) {
                uploads.append(.file(file, time: clock(index)))
            }
            while let upload = devices[index].writeBaselineFile() { uploads.append(upload) }
        }
        while !uploads.isEmpty { try upload() }
        for index in devices.indices { try sync(index) }
    }

    /// A device reading the log's current files at once, or, by the rules, all files it ever had.
    private func newcomer(_ isJoining: Bool) throws -> RecordDevice {
        let storeMistakes: Set<RecordMistake> = [
            .forgetsLost, .forgetsTombstones, .forgetsAliases, .seesNoChildren, .seesNoTwins,
        ]
        let mistake = plan.mistake.flatMap { storeMistakes.contains($0) ? $0 : nil }
        var newcomer = RecordDevice(number: 9, mistake: mistake)
        if isJoining { try newcomer.sync(with: cloud) } else { try newcomer.foldAll(of: cloud) }
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
        guard try self.newcomer(true).confirmed == newcomer.confirmed else {
            return "a device that joins has other rows than one that reads the whole log"
        }
        var ledger = ledger
        ledger.place(cloud)
        return ledger.problem(in: newcomer.confirmed.records) ?? newcomer.confirmed.records.violation
    }
}
