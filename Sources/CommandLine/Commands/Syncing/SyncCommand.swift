import ArgumentParser
import DaemonProtocol

/// `ubiquity sync`: uploads now; with `--wait`, waits until everything is in the cloud.
struct SyncCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sync", abstract: "Upload pending changes now.",
        discussion: """
            With --wait, exit status 0 means that every earlier change under the PATHs (by default, in all mounts) is in the \
            cloud. Ctrl-C ends the wait, not the uploads.
            """)

    @Argument(help: "What to sync.", completion: .file())
    var paths: [String] = []

    @Flag(help: "Return only when the uploads are complete.")
    var wait = false

    @Option(
        parsing: .unconditional, help: ArgumentHelp("Give up waiting after this many seconds.", valueName: "seconds"))
    var timeout: Double?

    @Flag(help: "Print the outcome as JSON.")
    var json = false

    /// The output of `--json`.
    private struct Document: Encodable {
        struct Mount: Encodable {
            let mount: String
            let pendingItems: UInt64
            let pendingBytes: UInt64
        }

        let format = 1
        let mounts: [Mount]
    }

    func validate() throws {
        guard let timeout else { return }
        guard wait else { throw ValidationError("--timeout requires --wait") }
        guard timeout > 0, timeout.isFinite else { throw ValidationError("--timeout takes a number above 0") }
    }

    func run() throws {
        let deadline = timeout.map { ContinuousClock.now + .seconds($0) }
        var mounts: [Document.Mount] = []
        for group in try MountSelection(paths, .current()).groups {
            let result = try sync(group, until: deadline)
            mounts.append(
                Document.Mount(
                    mount: group.record.mount, pendingItems: result.pendingItems, pendingBytes: result.pendingBytes))
        }
        if json { print(try StatusJSON.text(Document(mounts: mounts))) }
    }

    private func sync(
        _ group: MountSelection.Group, until deadline: ContinuousClock.Instant?
    ) throws -> SyncResponse {
        let remaining = deadline.map { max(0, ($0 - .now) / .seconds(1)) }
        let request = SyncRequest(paths: group.paths, wait: wait, timeout: remaining)
        var connection = try DaemonConnection.open(group.record)
        var display = LiveDisplay()
        var noted: Set<String> = []
        let result = try connection.call(request, watch: wait ? WatchRequest() : nil) { status in
            display.show(StatusText.progress(status.mount))
            // On a terminal, the live display shows the reason.
            guard !Terminal.isInteractive, let reason = Self.reason(status.mount), noted.count < 20,
                noted.insert(reason).inserted
            else {
                return
            }
            Terminal.note(reason)
        }
        display.clear()
        let waiting = "\(group.record.mount): \(counted(result.pendingItems, "item")) still to upload."
        if json { return result }
        // Without waiting, nothing is known of the cloud.
        let done = wait ? "everything is in the cloud." : "nothing to upload."
        print(result.pendingItems == 0 ? "\(group.record.mount): \(done)" : waiting)
        return result
    }

    /// Returns the reason preventing completion, printed once; nil without such a reason.
    private static func reason(_ mount: MountStatus) -> String? {
        if let full = mount.errors.first(where: { $0.code == .diskFull }) { return "\(full)" }
        let isFull = mount.cloud.reason == .full
        guard mount.cloud.state == .offline || isFull, mount.cloud.message != CloudStatus.connecting else { return nil }
        return "waiting for the cloud: \(mount.cloud.message ?? "it cannot be reached now")"
    }
}
