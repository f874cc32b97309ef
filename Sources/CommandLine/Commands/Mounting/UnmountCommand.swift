import ArgumentParser
import DaemonProtocol

/// `ubiquity unmount`: ends a mount and its daemon, even if they are dead or frozen.
struct UnmountCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unmount", abstract: "Unmount your documents and stop their daemon.",
        discussion: """
            Changes that are not uploaded yet stay on this device and are uploaded after the next mount; with --wait they are \
            uploaded first. If programs have files open in the mount, the command fails (status 6) unless --force is given. A \
            mount whose daemon died or does not answer is removed as well.
            """)

    @Argument(help: ArgumentHelp("The mount, or any path in it (default: ~/MobileDocuments).", valueName: "dir"))
    var directory: String?

    @Flag(help: "Upload everything first. Ctrl-C ends the wait, and the mount stays.")
    var wait = false

    @Flag(help: "Unmount although programs have files open: their later writes fail.")
    var force = false

    @Flag(help: "Unmount only if the daemon has died: for clean-up after a crash.")
    var onlyDead = false

    func validate() throws {
        if wait, onlyDead { throw ValidationError("--wait needs a daemon, --only-dead is for mounts without one") }
    }

    func run() throws {
        MountRegistry.standard.endDying()
        let locator = try MountLocator.current()
        let argument = directory ?? StandardPaths.current.defaultMount
        if let view = locator.view(over: argument) { return try takeAway(view.mountPoint, of: view.record) }
        let record: MountRecord
        do throws(CommandFailure) {
            record = try locator.place(of: argument).record
        } catch {
            return try cleanUp(absolute(argument), locator, error)
        }
        try unmount(record)
    }

    private func unmount(_ record: MountRecord) throws(CommandFailure) {
        do throws(CommandFailure) {
            if onlyDead { throw try Self.alive(DaemonConnection.open(record)) }
            if !force { try refuseBusy(record) }
            try Unmounting.stop(record, upload: wait)
        } catch {
            guard error.status == .notAnswering || error.status == .notMounted, !wait,
                !(onlyDead && error.status == .notAnswering)
            else { throw error }
            let state = error.status == .notMounted ? "is gone" : "does not answer"
            Terminal.note("daemon \(record.pid) \(state), removing its mount: \(record.mount)")
            try Unmounting.force(record)
        }
        print("Unmounted \(record.mount).")
    }

    /// Detaches a second mount point of the same mount (`mount --bind`); its daemon continues to serve.
    private func takeAway(_ view: String, of record: MountRecord) throws(CommandFailure) {
        guard !wait, !onlyDead else {
            throw CommandFailure(
                .refused, "this is a bind mount of \(record.mount), whose daemon is running", path: view,
                advice: "Name \(record.mount) to unmount that; without the option only this bind mount is removed.")
        }
        try Unmounting.detach(view)
        print("Unmounted \(view), a bind mount of \(record.mount), which stays mounted.")
    }

    /// Refuses to unmount while files are open. The mount of a dead or frozen daemon is detached in any case, since no
    /// program can write to it any longer.
    private func refuseBusy(_ record: MountRecord) throws(CommandFailure) {
        let users = MountUsers(mount: record.mount, daemon: record.pid).all()
        guard let failure = CommandFailure(mount: record.mount, usedBy: users) else { return }
        _ = try DaemonConnection.open(record)
        throw failure
    }

    private static func alive(_ connection: consuming DaemonConnection) -> CommandFailure {
        CommandFailure(
            .refused, "the daemon of this mount (pid \(connection.record.pid)) is running",
            path: connection.record.mount)
    }

    /// Detaches a mount without a daemon to stop.
    private func cleanUp(_ path: String, _ locator: MountLocator, _ failure: CommandFailure) throws(CommandFailure) {
        guard locator.table.contains(path), !wait, !onlyDead || failure.status == .notMounted else { throw failure }
        try Unmounting.detach(path)
        print(
            failure.status == .notMounted
                ? "Unmounted \(path), whose daemon was gone."
                : "Unmounted \(path). Its daemon is not registered here; it stops by itself, within some seconds.")
    }
}
