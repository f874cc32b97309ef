import CloudModel
import Commands
import DaemonProtocol
import FoundationEssentials
import Glibc
import Subprocess
import SystemPackage
import Testing

/// Runs the real program against a daemon with scripted responses.
@Suite("The ubiquity program")
struct CommandTests {
    struct Outcome: Sendable {
        let status: Int32
        let output: String
        let errors: String
    }

    func ubiquity(_ arguments: [String], _ daemon: FakeDaemon) async throws -> Outcome {
        let own = try #require(realpath("/proc/self/exe", nil).map { String(cString: $0) })
        let program = FilePath(own).removingLastComponent().appending("ubiquity")
        let environment = Environment.inherit.updating([
            "XDG_RUNTIME_DIR": "\(daemon.directory)/run", "XDG_STATE_HOME": daemon.directory, "HOME": daemon.directory,
            "TZ": "UTC", "UBIQUITY_SCOPE": daemon.directory,
        ])
        let result = try await run(
            .path(program), arguments: Arguments(arguments), environment: environment,
            output: .string(limit: 1 << 20), error: .string(limit: 1 << 20))
        guard case .exited(let status) = result.terminationStatus else {
            throw DaemonFailure(.failed, "the program ended by a signal: \(result.terminationStatus)")
        }
        return Outcome(
            status: Int32(status), output: result.standardOutput, errors: result.standardError)
    }

    @Test("status --json shows each mount with its daemon, state, cloud and queue")
    func statusJSON() async throws {
        struct Printed: Decodable { let mounts: [Mount] }
        /// Nil for other tests' mounts: their daemons are registered elsewhere.
        struct Mount: Decodable {
            let status: MountStatus?
            init(from decoder: any Decoder) throws { status = try? MountStatus(from: decoder) }
        }
        let handler = ScriptedHandler { _ in DaemonResponse(StatusResponse(mount: .sample(pendingItems: 3))) }
        try await FakeDaemon.with(handler) { daemon in
            let outcome = try await ubiquity(["status", "--json"], daemon)
            #expect(outcome.status == 0)
            let printed = try JSONDecoder().decode(Printed.self, from: Data(outcome.output.utf8))
            #expect(printed.mounts.compactMap(\.status) == [.sample(pendingItems: 3)])
        }
    }

    @Test("a path in a mount selects the mount and is sent relative to it")
    func paths() async throws {
        let handler = ScriptedHandler { _ in DaemonResponse(ItemsResponse(outcomes: [])) }
        try await FakeDaemon.with(handler) { daemon in
            let paths = ["\(daemon.record.mount)/CloudDocs/./a.txt", "\(daemon.record.mount)/CloudDocs/b/../c"]
            let outcome = try await ubiquity(["download", "--wait"] + paths, daemon)
            #expect(outcome.status == 0, "\(outcome.errors)")
            let expected = try [MountPath("CloudDocs/a.txt"), MountPath("CloudDocs/c")]
            #expect(handler.requests == [DaemonRequest(DownloadRequest(paths: expected, wait: true))])
        }
    }

    @Test(
        "the exit status gives the kind of failure, and the message says what to do",
        arguments: [
            (DaemonFailure.Code.offline, Int32(4)), (.timedOut, 5), (.notUploaded, 6), (.pinned, 6), (.notFound, 1),
        ])
    func exitStatus(code: DaemonFailure.Code, status: Int32) async throws {
        let handler = ScriptedHandler { _ in
            throw DaemonFailure(code, "it did not work", path: "/m/a", advice: "Try something else.")
        }
        try await FakeDaemon.with(handler) { daemon in
            let outcome = try await ubiquity(["sync", "--wait", "--timeout", "3", daemon.record.mount], daemon)
            #expect(outcome.status == status)
            #expect(outcome.errors == "ubiquity: it did not work: /m/a. Try something else.\n")
            #expect(outcome.output.isEmpty)
        }
    }

    @Test("if one of several paths fails the command fails, and the others are still reported")
    func partialFailure() async throws {
        let good = ItemOutcome(path: try MountPath("a"), items: 1, bytes: 2048)
        let bad = ItemOutcome(path: try MountPath("b"), failure: DaemonFailure(.notUploaded, "not uploaded", path: "b"))
        let handler = ScriptedHandler { _ in DaemonResponse(ItemsResponse(outcomes: [good, bad])) }
        try await FakeDaemon.with(handler) { daemon in
            let mount = daemon.record.mount
            let outcome = try await ubiquity(["evict", "\(mount)/a", "\(mount)/b"], daemon)
            #expect(outcome.status == 6)
            #expect(outcome.output == "Evicted \(mount)/a (2.0 KiB).\n")
            #expect(outcome.errors == "ubiquity: not uploaded: \(mount)/b\n")
        }
    }

    private struct ItemsDocument: Decodable {
        struct Item: Decodable {
            let path: String
            let failure: DaemonFailure?
        }

        let format: Int
        let items: [Item]
    }

    @Test("a command on items prints its outcome as JSON, also for failures", arguments: ["evict", "pin", "unpin"])
    func itemsAsJSON(_ command: String) async throws {
        let good = ItemOutcome(path: try MountPath("a"), items: 1, bytes: 2048)
        let bad = ItemOutcome(path: try MountPath("b"), failure: DaemonFailure(.notUploaded, "not uploaded", path: "b"))
        let handler = ScriptedHandler { _ in DaemonResponse(ItemsResponse(outcomes: [good, bad])) }
        try await FakeDaemon.with(handler) { daemon in
            let mount = daemon.record.mount
            let outcome = try await ubiquity([command, "--json", "\(mount)/a", "\(mount)/b"], daemon)
            #expect(outcome.status == 6)
            let document = try JSONDecoder().decode(ItemsDocument.self, from: Data(outcome.output.utf8))
            #expect(document.format == 1)
            #expect(document.items.map(\.path) == ["\(mount)/a", "\(mount)/b"])
            #expect(document.items.map { $0.failure?.code } == [nil, .notUploaded])
        }
    }

    @Test("a path outside all mounts, and a sync without a mount, end with status 2")
    func outside() async throws {
        let handler = ScriptedHandler { _ in DaemonResponse(DoneResponse()) }
        try await FakeDaemon.with(handler) { daemon in
            let outcome = try await ubiquity(["evict", "/usr"], daemon)
            #expect(outcome.status == 2)
            #expect(outcome.errors.hasPrefix("ubiquity: not inside a Ubiquity mount: /usr."))
            #expect(handler.requests.isEmpty)
        }
    }

    @Test("unmount --wait asks the daemon to upload first")
    func unmount() async throws {
        let handler = ScriptedHandler { _ in DaemonResponse(DoneResponse()) }
        try await FakeDaemon.with(handler) { daemon in
            let outcome = try await ubiquity(["unmount", "--wait", daemon.record.mount], daemon)
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(handler.requests == [DaemonRequest(StopRequest(upload: true))])
        }
    }

    @Test("check ends with status 7 if it finds problems, and names each")
    func check() async throws {
        let problem = DaemonFailure(.damaged, "a byte is wrong", path: "/m/a")
        let handler = ScriptedHandler { _ in
            DaemonResponse(CheckResponse(checkedItems: 2, checkedBytes: 10, problems: [problem], problemCount: 1))
        }
        try await FakeDaemon.with(handler) { daemon in
            let outcome = try await ubiquity(["check"], daemon)
            #expect(outcome.status == 7)
            #expect(outcome.output == "\(daemon.record.mount): 2 items, 10 B, 1 problem.\n")
            #expect(outcome.errors == "ubiquity: a byte is wrong: /m/a\n")
        }
    }

    @Test("reset asks for confirmation, and does nothing without a terminal")
    func reset() async throws {
        let handler = ScriptedHandler { _ in DaemonResponse(ResetResponse(pendingItems: 1)) }
        try await FakeDaemon.with(handler) { daemon in
            let refused = try await ubiquity(["reset", daemon.record.mount], daemon)
            #expect(refused.status == 6)
            #expect(handler.requests.isEmpty)
        }
    }

    @Test(
        "resolve passes on which versions to keep",
        arguments: [("current", ConflictChoice.current), ("4.0", .version("4.0"))])
    func resolve(text: String, choice: ConflictChoice) async throws {
        let handler = ScriptedHandler { _ in DaemonResponse(ResolveResponse(resolved: 1)) }
        try await FakeDaemon.with(handler) { daemon in
            let outcome = try await ubiquity(["resolve", "\(daemon.record.mount)/a", "--keep", text], daemon)
            #expect(outcome.status == 0)
            #expect(handler.requests == [DaemonRequest(ResolveRequest(path: try MountPath("a"), keep: choice))])
        }
    }

    @Test("a mount point that is in use, not a folder or not empty is refused before a daemon starts")
    func mountPoint() async throws {
        let handler = ScriptedHandler { _ in DaemonResponse(DoneResponse()) }
        try await FakeDaemon.with(handler) { daemon in
            for (path, what) in [
                (daemon.record.mount, "already mounted"), ("/etc/passwd", "not a folder"), ("/usr", "not empty"),
                ("\(daemon.directory)/no/such", "cannot mount here"),
            ] {
                let outcome = try await ubiquity(["mount", path], daemon)
                #expect(outcome.status == 6, "\(path): \(outcome.errors)")
                #expect(outcome.errors.contains(what), "\(outcome.errors)")
            }
        }
    }

    @Test("a mistyped command prints a suggestion and ends with status 64")
    func suggestion() async throws {
        let handler = ScriptedHandler { _ in DaemonResponse(DoneResponse()) }
        try await FakeDaemon.with(handler) { daemon in
            for arguments in [["statsu"], ["help", "statsu"]] {
                let outcome = try await ubiquity(arguments, daemon)
                #expect(outcome.status == 64 && outcome.output.isEmpty)
                #expect(
                    outcome.errors
                        == "ubiquity: there is no command 'statsu'. Did you mean 'status'? \"ubiquity --help\" lists the commands.\n"
                )
            }
        }
    }

    @Test("the status of many items is requested in parts that fit into a message, and printed as one document")
    func manyItems() async throws {
        let handler = ScriptedHandler { request in
            guard let request = request.call as? StatusRequest else { return DaemonResponse(DoneResponse()) }
            let items = request.paths.map {
                ItemStatus(
                    path: $0, kind: .file, state: DocumentState(isUploaded: true), itemID: "1", container: "CloudDocs")
            }
            return DaemonResponse(StatusResponse(mount: .sample(), items: items))
        }
        try await FakeDaemon.with(handler) { daemon in
            let paths = (1...1_100).map { "\(daemon.record.mount)/\($0)" }
            let outcome = try await ubiquity(["status", "--json"] + paths, daemon)
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(outcome.output.matches(of: /"path" :/).count == 1_100)
            #expect(handler.requests.count == 3)
        }
    }

    @Test(
        "of several mounts the default one is used; without a default the command ends with status 6 and asks for --mount"
    )
    func severalMounts() async throws {
        let handler = ScriptedHandler { _ in DaemonResponse(KeyValuesResponse(values: [:])) }
        try await FakeDaemon.with(handler) { daemon in
            let registry = MountRegistry(directories: ["\(daemon.directory)/run/ubiquity"])
            var record = daemon.record
            record = MountRecord(mount: "\(record.mount)2", pid: record.pid, state: record.state, socket: record.socket)
            try registry.publish(record)
            for arguments in [
                ["kv", "get", "a"], ["find", "TRUEPREDICATE"], ["reset", "--yes"], ["publish", "--list"],
            ] {
                let outcome = try await ubiquity(arguments, daemon)
                #expect(outcome.status == 6 && outcome.errors.contains("there are several mounts"), "\(outcome)")
            }
        }
    }
}
