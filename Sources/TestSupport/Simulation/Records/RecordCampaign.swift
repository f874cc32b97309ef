import Records

/// Runs many histories of shared databases, and reduces a failing one.
package struct RecordCampaign: Sendable {
    package var seeds: Range<UInt64>
    package var steps: Int
    package var mistake: RecordMistake?

    package init(seeds: Range<UInt64>, steps: Int = 100, mistake: RecordMistake? = nil) {
        (self.seeds, self.steps, self.mistake) = (seeds, steps, mistake)
    }

    /// Returns the first failing history, and the events in all histories run.
    package func run() throws -> (failure: RecordHistory.Outcome?, figures: RecordFigures) {
        var figures = RecordFigures()
        for seed in seeds {
            let outcome = try RecordHistory.live(RecordHistory.Plan(seed: seed, steps: steps, mistake: mistake))
            figures.add(outcome.figures)
            guard outcome.problem != nil else { continue }
            if mistake == nil { return (outcome, figures) }
            // A history that fails without the mistake as well does not expose it.
            let control = try RecordHistory.live(RecordHistory.Plan(seed: seed, steps: steps))
            if control.problem == nil { return (outcome, figures) }
        }
        return (nil, figures)
    }

    /// Returns the shortest failing beginning of the history.
    package static func shrink(_ outcome: RecordHistory.Outcome) throws -> RecordHistory.Outcome {
        for steps in 1..<max(2, outcome.plan.steps) {
            var plan = outcome.plan
            plan.steps = steps
            let shorter = try RecordHistory.live(plan)
            if shorter.problem != nil { return shorter }
        }
        return outcome
    }
}

/// The number of events of interest in the histories.
package struct RecordFigures: Sendable {
    package private(set) var histories = 0
    package private(set) var transactions = 0
    package private(set) var rows = 0
    package private(set) var lost = 0
    package private(set) var refusedDeletions = 0
    package private(set) var united = 0
    package private(set) var aside = 0
    package private(set) var beside = 0
    /// How often a device took a baseline, and how often old files were removed.
    package var baselines = 0
    package var removals = 0

    init() {}

    init(_ records: DictionaryRecords, entries: Int) {
        (histories, transactions, rows, lost) = (1, entries, records.rows.count, records.lost.count)
        refusedDeletions = records.lost.filter { $0.reason == .deletionRefused }.count
        united = records.aliases.count
        aside = records.asideRows().count
        beside = records.rows.values.filter { $0.columns.values.contains { !$0.beside.isEmpty } }.count
    }

    mutating func add(_ other: RecordFigures) {
        histories += other.histories
        transactions += other.transactions
        rows += other.rows
        lost += other.lost
        refusedDeletions += other.refusedDeletions
        united += other.united
        aside += other.aside
        beside += other.beside
        baselines += other.baselines
        removals += other.removals
    }

    package var text: String {
        "\(histories) histories, \(transactions) transactions, \(rows) rows; lost values: \(lost), refused deletions: "
            + "\(refusedDeletions), united rows: \(united), rows aside: \(aside), in conflict: \(beside), "
            + "baselines taken: \(baselines), removals: \(removals)"
    }
}
