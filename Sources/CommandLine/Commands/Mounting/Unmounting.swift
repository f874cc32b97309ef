import Basics
import DaemonProtocol
import Glibc

/// Ends mounts, orderly or by force. No edit is lost either way: the content of closed files is on the disk and in the daemon's database.
enum Unmounting {
    /// How long a daemon may take to save its state and exit.
    private static let stopLimit: Duration = .seconds(60)
    /// How long an unresponsive daemon may take to act on SIGTERM.
    private static let termLimit: Duration = .seconds(5)

    /// Asks the daemon to stop and waits until it has ended.
    static func stop(_ record: MountRecord, upload: Bool) throws(CommandFailure) {
        var connection = try DaemonConnection.open(record)
        var display = LiveDisplay()
        let watch = upload ? WatchRequest() : nil
        _ = try connection.call(StopRequest(upload: upload), watch: watch) {
            display.show(StatusText.progress($0.mount))
        }
        display.clear()
        guard waitForEnd(of: record, stopLimit) else {
            throw CommandFailure(
                .timedOut, "the daemon (pid \(record.pid)) is stopping but has not ended yet", path: record.mount,
                advice: "Programs may still use the mount; see \(record.state)/daemon.log.")
        }
        try removeLeftovers(of: record)
    }

    /// Removes a mount left behind by the daemon: it has ended, so such a mount is dead and only hides the folder.
    private static func removeLeftovers(of record: MountRecord) throws(CommandFailure) {
        // Another daemon may have mounted there meanwhile.
        let others = MountRegistry.standard.records().filter { $0.mount == record.mount && $0.pid != record.pid }
        if others.isEmpty { try detach(record.mount) }
    }

    /// Detaches the mount and ends its daemon, regardless of their state.
    static func force(_ record: MountRecord) throws(CommandFailure) {
        try detach(record.mount)
        guard isDaemon(record.pid) else { return finish(record) }
        kill(record.pid, SIGTERM)
        // A stopped process acts on SIGTERM only once it continues.
        kill(record.pid, SIGCONT)
        if !waitForEnd(of: record, termLimit) {
            kill(record.pid, SIGKILL)
            var hasEnded = waitForEnd(of: record, termLimit)
            if !hasEnded {
                MountRegistry.standard.endDying()
                hasEnded = waitForEnd(of: record, termLimit)
            }
            guard hasEnded else {
                throw CommandFailure(
                    .failed, "the daemon (pid \(record.pid)) cannot be stopped", path: record.mount,
                    advice: "It is stuck in the kernel; the mount itself is detached.")
            }
        }
        finish(record)
    }

    private static func finish(_ record: MountRecord) {
        MountRegistry.standard.withdraw(mount: record.mount, pid: record.pid)
    }

    /// Detaches the mount immediately, even if mounted several times over itself; programs keep their open files until
    /// they close them.
    static func detach(_ mount: String) throws(CommandFailure) {
        let (program, arguments) =
            geteuid() == 0 ? ("umount", ["-l", mount]) : ("fusermount3", ["-u", "-z", mount])
        do {
            // A mount already gone needs no action. Each iteration removes one layer; more than a few do not occur.
            for _ in 0..<16 {
                let table = try UbiquityMounts.current()
                guard table.contains(mount) else { return }
                guard !table.isCovered(mount) else {
                    throw CommandFailure(
                        .failed, "the mount cannot be removed: another file system is mounted over it", path: mount,
                        advice: "Unmount that one with \"umount \(mount)\", then repeat this command.")
                }
                let status = try runProgram(program, arguments)
                guard status == 0 else {
                    throw CommandFailure(
                        .failed, "the mount cannot be removed (\(program) ended with \(status))", path: mount,
                        advice: removalAdvice(mount))
                }
            }
            throw CommandFailure(
                .failed, "the mount cannot be removed: it is there again each time", path: mount,
                advice: "Find out what mounts it; /proc/self/mountinfo lists all mounts.")
        } catch let error as Errno {
            throw CommandFailure(
                .failed, "the mount cannot be removed (\(error))", path: mount, advice: "Install fuse3.")
        } catch let failure as CommandFailure {
            throw failure
        } catch {
            throw CommandFailure(.failed, "the mount cannot be removed (\(error))", path: mount)
        }
    }

    private static func removalAdvice(_ mount: String) -> String {
        guard geteuid() != 0, access("/etc/mtab", F_OK) != 0 else {
            return "As root, \"umount -l \(mount)\" removes it."
        }
        // A fresh root for chroot(8) has none.
        return
            "fusermount3 needs /etc/mtab. As root, run \"ln -s /proc/self/mounts /etc/mtab\", then repeat this command."
    }

    /// Waits for the lock of the state directory, which the daemon holds as long as it lives.
    private static func waitForEnd(of record: MountRecord, _ limit: Duration) -> Bool {
        let lock = "\(record.state)/lock"
        return bounded(within: limit) {
            let descriptor = open(lock, O_RDONLY | O_CLOEXEC)
            // Without a lock file there is no daemon.
            guard descriptor >= 0 else { return }
            flock(descriptor, LOCK_EX)
            close(descriptor)
        } != nil
    }

    /// Process ids are reused: only a process of the daemon's program is ended.
    private static func isDaemon(_ pid: pid_t) -> Bool {
        let descriptor = open("/proc/\(pid)/comm", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var buffer = [UInt8](repeating: 0, count: 32)
        let count = read(descriptor, &buffer, buffer.count)
        return buffer.prefix(max(0, count)).elementsEqual("ubiquityd\n".utf8)
    }
}
