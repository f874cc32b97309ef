import ArgumentParser
import DaemonProtocol

/// `ubiquity diagnose`: prints the internal state of the daemon as text.
struct DiagnoseCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diagnose", abstract: "Print the daemon's internal state.",
        discussion: "It has no contents of documents, and no names except those in error messages.")

    @Argument(help: "The mount, or any path in it (default: all mounts).", completion: .directory)
    var path: String?

    @Flag(
        help:
            "Print JSON: the report of each mount, how many requests of each kind the kernel has sent, and what they cost."
    )
    var json = false

    @Flag(
        help: ArgumentHelp(
            "Print the coordinating programs: a tree of the claimed documents with holders, waiting programs and transfers. It has names of documents."
        ))
    var claims = false

    private struct Document: Encodable {
        let format: Int
        let mounts: [Mount]
    }

    private struct Mount: Encodable {
        let mount: String
        let report: String
        let requests: [String: UInt64]?
        let requestsInProgress: UInt64?
        let requestCosts: [String: UInt64]?
    }

    func run() throws {
        if claims { return try ClaimsReport.print(path, json: json) }
        var mounts: [Mount] = []
        for group in try MountSelection(path.map { [$0] } ?? [], .current()).groups {
            var connection = try DaemonConnection.open(group.record)
            let answer = try connection.call(DiagnoseRequest())
            mounts.append(
                Mount(
                    mount: group.record.mount, report: answer.report, requests: answer.requests,
                    requestsInProgress: answer.requestsInProgress, requestCosts: answer.requestCosts))
        }
        if json {
            print(try StatusJSON.text(Document(format: StatusJSON.format, mounts: mounts)))
        } else {
            for mount in mounts { print(mount.report) }
        }
    }
}
