import ArgumentParser
import Foundation
import Simulation
import TestSupport

/// Runs random histories of several devices, and prints the shortest story of a failure that it can find.
@main
struct Simulate: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate",
        abstract: "Live through random histories of several devices, and check that nothing is lost.",
        discussion:
            "Exits with 1 when a history fails, and prints its seed, what is wrong, and the shortest story that shows it."
    )

    @Option(help: "Replay one seed.") var seed: UInt64?
    @Option(help: "Of how many steps the longest history is.") var steps = 80
    @Option(help: "How many histories.") var histories = 10_000
    @Option(help: "The first seed; 'random' looks for new ones.") var start = "1"
    @Option(help: "Go on with other seeds until so many minutes are over, or one fails.") var minutes: Int?
    /// More processes than cores, because each waits a part of its time for its own threads.
    @Option(help: "Processes at work.") var jobs = ProcessInfo.processInfo.activeProcessorCount * 3 / 2
    @Option(help: "Stop after so many failures.") var failures = 1
    @Option(help: "Live through so many of the histories twice, and compare.") var twice = 0
    @Option(help: "Break this on purpose: \(SeededBug.allCases.map(\.rawValue).joined(separator: ", ")).") var bug:
        String?
    @Option(
        help:
            "What users may do: 1 to 4, as in the histories found first, 5 where names ignore case, 6, or 7 with states and clouds that come back."
    )
    var vocabulary = Vocabulary.usual.rawValue
    @Option(help: "Add the log of a replayed seed to this folder of golden logs.") var golden: String?
    @Flag(help: "Make each known mistake on purpose, and fail unless every one is found.") var prove = false
    @Flag(help: "Live through histories of the collection of garbage instead.") var collections = false
    @Flag(help: "Live through histories of shared databases instead.") var databases = false
    @Flag(help: "Print the story of a replayed seed even if all is well.") var verbose = false
    @Option(help: .hidden) var share = 0
    @Option(help: .hidden) var shares = 0

    func validate() throws {
        let isBug = bug.map { bug in
            if databases { return RecordMistake(rawValue: bug) != nil }
            return collections ? CollectionMistake(rawValue: bug) != nil : seededBug != nil
        }
        guard isBug ?? true else { throw ValidationError("There is no bug '\(bug ?? "")'.") }
        guard start == "random" || UInt64(start) != nil else {
            throw ValidationError("--start is a number or 'random'.")
        }
        guard Vocabulary(rawValue: vocabulary) != nil else { throw ValidationError("--vocabulary is 1 to 7.") }
        guard steps >= 8, histories > 0, jobs > 0, minutes ?? 1 > 0 else {
            throw ValidationError("At least 8 steps, a history, a job and a minute.")
        }
    }

    private var words: Vocabulary { Vocabulary(rawValue: vocabulary) ?? .usual }
    private var seededBug: SeededBug? { bug.flatMap(SeededBug.init) }

    func run() throws {
        if shares > 0 {
            try work()
        } else if prove {
            try findMistakes()
        } else if collections {
            try runCollections()
        } else if databases {
            try runDatabases()
        } else if let seed {
            try replay(Plan(seed: seed, steps: steps, bug: seededBug, vocabulary: words))
        } else if let minutes {
            try search(minutes: minutes)
        } else {
            try search(from: UInt64(start) ?? Self.randomStart)
        }
    }

    private static var randomStart: UInt64 { .random(in: 0..<1 << 40) }

    /// Runs campaign after campaign, each from a new random seed.
    private func search(minutes: Int) throws {
        let end = ContinuousClock.now + .seconds(60 * minutes)
        var total = 0
        while .now < end {
            try search(from: Self.randomStart)
            total += histories
        }
        print("\(total) histories, each well")
    }

    private func replay(_ plan: Plan) throws {
        let outcome = try History.live(plan, shared: SharedParts())
        guard outcome.problems.isEmpty else { return try explain([outcome]) }
        if verbose { print(outcome.story.joined(separator: "\n")) }
        if let golden { try record(outcome, in: URL(filePath: golden)) }
        print("seed \(plan.seed): all is well; what happened: \(outcome.digest)")
    }

    private func record(_ outcome: Outcome, in folder: URL) throws {
        let name = "simulated-\(outcome.plan.vocabulary.rawValue)-\(outcome.plan.seed)"
        let isNew = try GoldenLog(name: name, entries: outcome.log).add(to: folder)
        print(isNew ? "recorded \(name), \(outcome.log.count) entries" : "\(name) is recorded already")
    }

    // MARK: Many histories

    private func campaign(from first: UInt64) -> Campaign {
        var campaign = Campaign(
            seeds: first..<first + UInt64(histories), steps: 8...steps, bug: seededBug, failures: failures,
            twice: twice)
        campaign.vocabulary = words
        return campaign
    }

    /// Runs a process's share, and prints its result for the parent process.
    private func work() throws {
        guard let first = UInt64(start) else { throw ValidationError("--start is a number here.") }
        var campaign = campaign(from: first)
        (campaign.share, campaign.shares) = (share, shares)
        let result = try campaign.run { done in
            if isatty(STDERR_FILENO) != 0 { FileHandle.standardError.write(Data("\(done)\n".utf8)) }
        }
        print(String(decoding: try JSONEncoder().encode(result), as: UTF8.self))
    }

    private func search(from first: UInt64) throws {
        let began = ContinuousClock.now
        let arguments = [
            "--start", "\(first)", "--histories", "\(histories)", "--steps", "\(steps)", "--failures", "\(failures)",
            "--twice", "\(twice)", "--vocabulary", "\(vocabulary)",
        ]
        let crew = Crew(arguments: arguments + (bug.map { ["--bug", $0] } ?? []), jobs: jobs)
        let result = try crew.run()
        let seconds = max(1, (ContinuousClock.now - began).components.seconds)
        print(
            "\(result.histories) histories from seed \(first) in \(seconds) s; failed: \(result.failed.count); "
                + "what happened: \(String(result.digest, radix: 16))")
        let shared = try SharedParts()
        try explain(result.failed.sorted().map { try History.live(campaign(from: first).plan(of: $0), shared: shared) })
        guard result.differing.isEmpty else {
            print("lived through twice, and not the same: \(result.differing.sorted())")
            print(result.differences.joined(separator: "\n"))
            throw ExitCode.failure
        }
    }

    /// Checks that the search finds each seeded mistake. Otherwise it would miss the same mistake in the engine.
    private func findMistakes() throws {
        var missed = 0
        let shared = try SharedParts()
        for bug in SeededBug.allCases {
            let began = ContinuousClock.now
            let search = try MistakeSearch(bug: bug).run(shared)
            if search.outcome == nil { missed += 1 }
            let seconds = (ContinuousClock.now - began).components
            print(
                "\(bug.rawValue) (\(bug.summary)): \(search.outcome == nil ? "MISSED in" : "found in") "
                    + "\(search.histories) histories, \(seconds.seconds) s; "
                    + (search.outcome.map { "seed \($0.plan.seed): \($0.problems.first ?? "")" } ?? ""))
        }
        missed += try findCollectionMistakes() + findDatabaseMistakes()
        guard missed == 0 else { throw ExitCode.failure }
    }

    /// Returns a line with escaped control characters, as in the contents of files: tools take a log with NUL for a
    /// binary file.
    private func printable(_ line: Substring) -> String {
        line.unicodeScalars.map { $0.value < 32 ? $0.escaped(asASCII: true) : String($0) }.joined()
    }

    private func explain(_ outcomes: [Outcome]) throws {
        let failed = outcomes.filter { !$0.problems.isEmpty }
        guard !failed.isEmpty else { return }
        let shared = try SharedParts()
        for outcome in failed {
            var shrinker = Shrinker { try History.live($0, shared: shared) }
            let shortest = try shrinker.shrink(outcome)
            print("\n\(outcome.report.prefix { $0 != "\n" }): \(shortest.plan.steps.count) of its steps are enough")
            let lines = shortest.report.split(separator: "\n", omittingEmptySubsequences: false).dropFirst()
            print(lines.map(printable).joined(separator: "\n"))
        }
        throw ExitCode.failure
    }
}
