import ArgumentParser
import DaemonProtocol

/// `ubiquity cloud policy`: the permissions of a device, for the bucket's owner to grant.
struct CloudPolicyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "policy", abstract: "Print the policy for a device's credentials of a bucket.",
        discussion: """
            Give each device credentials of its own with this policy: they read everything below the prefix, add to logs \
            without replacing an entry, and delete nothing. Turn on versioning in the bucket as well.
            """)

    @Argument(help: ArgumentHelp("The cloud: s3://BUCKET/PREFIX.", valueName: "url"))
    var cloud: String

    @Flag(help: "Print the policy of the device that collects garbage: it also deletes chunks.")
    var collects = false

    @Flag(help: "Print JSON, which the policy always is.")
    var json = false

    func run() throws {
        let arguments = ["cloud-policy"] + (collects ? ["--collects"] : []) + ["--", cloud]
        guard let policy = try ServerHelper.run(arguments, input: "").policy else {
            throw CommandFailure(.failed, "the daemon's program is of another version and printed no policy")
        }
        print(policy)
    }
}
