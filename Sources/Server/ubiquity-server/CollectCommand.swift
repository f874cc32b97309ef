import ArgumentParser
import Basics
import CloudModel
import ServerStorage

struct CollectCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "collect", abstract: "Delete unneeded chunks now instead of at night.",
        discussion: """
            Keeps the chunks of every document and conflict, of recent versions and of links, and those that an upload may \
            still refer to. The command may run beside the server and may be interrupted.
            """)

    @OptionGroup var place: PlaceOption
    @OptionGroup var keep: KeepOption

    func run() async throws {
        try await withStore(place) { store in
            let report = try await store.collect(keep.policy, pause: .milliseconds(5))
            guard !report.isElsewhere else {
                throw Failure(
                    "A server or another command collects now. Run this again when it is done, if you still need to.")
            }
            print(
                "Collected \(report.chunks) chunks (\(ByteCount(report.bytes))) and \(report.strayFiles) stray files.")
            for (container, why) in report.skipped.sorted(by: { $0.key < $1.key }) {
                print("Container \(container) was skipped: \(why)")
            }
            if report.gaveWay { print("A backup is under way; run this again when it is done.") }
        }
    }
}

/// The option for how long superseded contents stay.
struct KeepOption: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "How many days replaced and deleted contents are kept for the versions on devices.",
            valueName: "days"))
    var keepVersionsDays: Int64 = Retention.standard.days

    func validate() throws {
        guard (0...36_500).contains(keepVersionsDays) else {
            throw ValidationError("--keep-versions-days takes 0 to 36500")
        }
    }

    var policy: CollectionPolicy { CollectionPolicy(retention: Retention(days: keepVersionsDays)) }
}
