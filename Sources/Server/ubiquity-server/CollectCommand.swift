import ArgumentParser
import Basics
import ServerStorage

struct CollectCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "collect", abstract: "Take away chunks that nothing needs, now instead of at night.",
        discussion: """
            What stays: every document and conflict, versions of the last days, what links serve, and whatever an upload \
            may still refer to. It may run beside the server and may be interrupted.
            """)

    @OptionGroup var data: DataOption
    @OptionGroup var keep: KeepOption

    func run() async throws {
        try await withStore(data) { store in
            let report = try await store.collect(keep.policy, pause: .milliseconds(5))
            print(
                "Collected \(report.chunks) chunks (\(ByteCount(report.bytes))) and \(report.strayFiles) stray files.")
            for (container, why) in report.skipped.sorted(by: { $0.key < $1.key }) {
                print("Container \(container) was left alone: \(why)")
            }
            if report.gaveWay { print("A backup is under way; run this again when it is done.") }
        }
    }
}

/// The option for how long superseded contents stay.
struct KeepOption: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "How long contents stay on the server that were replaced or deleted, for the versions that devices offer.",
            valueName: "days"))
    var keepVersionsDays: Int64 = CollectionPolicy.standard.keepDays

    func validate() throws {
        guard (0...36_500).contains(keepVersionsDays) else {
            throw ValidationError("--keep-versions-days takes 0 to 36500")
        }
    }

    var policy: CollectionPolicy {
        CollectionPolicy(keepDays: keepVersionsDays, graceDays: CollectionPolicy.standard.graceDays)
    }
}
