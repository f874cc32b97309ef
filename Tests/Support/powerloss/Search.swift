import ArgumentParser
import Foundation
import PowerLoss
import Synchronization
import TestSupport

/// Records random work and checks its crash states.
struct Search: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Record random work and look at states that a loss of power may leave.",
        discussion: "Exits with 1 when something acknowledged is lost, and says how to look at that state again.")

    @Option(help: "How many crash states.") var states = 5000
    @Option(help: "Chooses the work and the states.") var seed: UInt64 = 1
    @Option(help: "Steps of the user in each of the three processes of a recording.") var steps = 150
    @Option(help: "Crash states of one recording; then another is made, of the next seed.") var each = 1000
    @Option(help: "Look at this state only.") var state: Int?
    @Option(help: "Use the recording in this folder, in place of a new one.") var recording: String?
    @Option(help: "Make this mistake: \(DurabilityBug.allCases.map(\.rawValue).joined(separator: ", ")).") var bug:
        DurabilityBug?
    @Flag(help: "Make each known mistake, and fail unless every one is found.") var prove = false
    @Option(help: "Where recordings are made; a disk in memory is fastest.") var scratch =
        ScratchFolder.memory

    func run() async throws {
        guard geteuid() == 0 else { throw ValidationError("Mounting needs root.") }
        try leaveMountsAlone()
        LeftOutSyncs.all.store(true, ordering: .relaxed)
        if let recording {
            try await look(Recording(folder: recording, seed: seed, bug: bug))
        } else if prove {
            try await findMistakes()
        } else {
            try await search()
        }
    }

    /// Runs the program again in a separate mount namespace, which disappears with the process, however it ends.
    private func leaveMountsAlone() throws {
        guard ProcessInfo.processInfo.environment[Self.mark] == nil else { return }
        setenv(Self.mark, "1", 1)
        let program = try Self.program()
        let words = ["unshare", "--mount", "--propagation", "private", program] + CommandLine.arguments.dropFirst()
        var arguments = words.map { strdup($0) } + [nil]
        execvp("unshare", &arguments)
        throw ValidationError("unshare(1) is not installed.")
    }

    private static let mark = "POWERLOSS_NAMESPACE"

    private static func program() throws -> String {
        try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    }

    private func search() async throws {
        var (done, meaningful, seed) = (0, 0, seed)
        let began = ContinuousClock.now
        while done < states {
            let recording = Recording(folder: "\(scratch)/powerloss-\(getpid())-\(seed)", seed: seed, bug: bug)
            try recording.make(steps: steps, program: Self.program())
            let campaign = CrashCampaign(recording)
            print("seed \(seed): \(try campaign.summary())")
            let numbers = state.map { $0..<$0 + 1 } ?? 0..<min(each, states - done)
            let outcome = try await campaign.run(numbers, failures: 3)
            try report(outcome, recording)
            try recording.remove()
            (done, meaningful, seed) = (done + numbers.count, meaningful + outcome.meaningful, seed + 1)
            if state != nil { break }
        }
        let seconds = max(1, (ContinuousClock.now - began).components.seconds)
        print("\(done) crash states in \(seconds) s, \(meaningful) with something to lose: none lost anything")
    }

    private func look(_ recording: Recording) async throws {
        let numbers = state.map { $0..<$0 + 1 } ?? 0..<states
        let outcome = try await CrashCampaign(recording).run(numbers, failures: 3)
        try report(outcome, recording)
        print("\(outcome.states) crash states: none lost anything")
    }

    private func report(_ outcome: CrashCampaign.Outcome, _ recording: Recording) throws {
        guard !outcome.failures.isEmpty else { return }
        for failure in outcome.failures {
            print("seed \(recording.seed), \(failure.state):")
            for problem in failure.problems.prefix(12) { print("    \(problem)") }
            print(
                "  again: powerloss --recording \(recording.folder) --seed \(recording.seed) --state \(failure.number)")
        }
        print("  again: make powerloss SEED=\(recording.seed)")
        throw ExitCode.failure
    }

    /// Checks that the search finds each seeded mistake. Otherwise it would miss the same mistake in the engine.
    private func findMistakes() async throws {
        var missed = 0
        for bug in DurabilityBug.allCases {
            let recording = Recording(folder: "\(scratch)/powerloss-\(getpid())-\(bug.rawValue)", seed: seed, bug: bug)
            try recording.make(steps: steps, program: Self.program())
            let outcome = try await CrashCampaign(recording).run(0..<each, failures: 1)
            try recording.remove()
            if outcome.failures.isEmpty { missed += 1 }
            let found = outcome.failures.isEmpty ? "MISSED in" : "found in"
            print("\(bug.rawValue) (\(bug.summary)): \(found) \(outcome.states) crash states")
            for problem in outcome.failures.first?.problems.prefix(2) ?? [] { print("    \(problem)") }
        }
        guard missed == 0 else { throw ExitCode.failure }
    }
}
