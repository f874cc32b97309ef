package import Basics
import CLinux
import FoundationEssentials
import Glibc

/// The directories in which daemons leave a ``MountRecord`` for each mount they serve.
package struct MountRegistry: Sendable {
    private let directories: [String]

    /// - Parameter directories: The preferred one first; see ``StandardPaths/registryCandidates``.
    package init(directories: [String]) { self.directories = directories }

    package static var standard: MountRegistry {
        MountRegistry(directories: StandardPaths.current.registryCandidates)
    }

    /// The records of running daemons, one per mount, ordered by mount point. Dead daemons' records and other files are
    /// skipped.
    package func records() -> [MountRecord] {
        var found: [String: MountRecord] = [:]
        for (_, record) in directories.flatMap(files(in:)) where record.isRunning && found[record.mount] == nil {
            found[record.mount] = record
        }
        return found.values.sorted { $0.mount < $1.mount }
    }

    /// Aborts the connections of killed or crashed daemons that cannot end: a thread of theirs waits in the kernel for
    /// a program, which waits for an answer of the daemon. Returns when they have ended, after ten seconds at most.
    package func endDying() {
        let dying = directories.flatMap(files(in:)).map(\.record).filter { ProcessEnd.of($0.pid) == .begun }
        guard !dying.isEmpty else { return }
        let inUse = Set(records().compactMap(\.connection))
        for record in dying {
            // The number may have become a later mount's, if the thread waits for something other than the mount.
            guard let connection = record.connection, !inUse.contains(connection),
                !Self.isForeign(connection)
            else { continue }
            // Without the right to abort it the daemon stays as it is; this is reported where it stands in the way.
            try? FuseControl(connection: connection).abort()
        }
        let deadline = ContinuousClock.now + .seconds(10)
        for record in dying { Self.waitForEnd(of: record.pid, until: deadline) }
    }

    /// Returns when the last thread of the process has ended, or at the deadline.
    private static func waitForEnd(of process: pid_t, until deadline: ContinuousClock.Instant) {
        let handle = linux_process_handle(process)
        // The process no longer exists.
        guard handle >= 0 else { return }
        defer { close(handle) }
        var wait = pollfd(fd: handle, events: Int16(POLLIN), revents: 0)
        while poll(&wait, 1, Int32(max(0, (deadline - .now) / .milliseconds(1)))) < 0, errno == EINTR {}
    }

    /// Whether a mount with this number is foreign, by /proc/self/mountinfo (proc_pid_mountinfo(5)).
    private static func isForeign(_ connection: UInt32) -> Bool {
        // Without the list no mount is known to be Ubiquity's.
        guard let table = try? String(contentsOfFile: "/proc/self/mountinfo", encoding: .utf8) else { return true }
        return table.split(separator: "\n").contains { line in
            let fields = line.split(separator: " ")
            return fields.count > 2 && fields[2] == "0:\(connection)" && !fields.contains("fuse.ubiquity")
        }
    }

    /// Writes the record to the first writable directory and removes records of dead daemons.
    package func publish(_ record: MountRecord) throws(Errno) {
        sweep()
        try inFirstDirectory { directory throws(Errno) in try write(record, in: directory) }
    }

    /// Requires a directory that ``publish(_:)`` can write to.
    package func prepare() throws(Errno) {
        try inFirstDirectory { directory throws(Errno) in
            try createDirectories(directory)
            _ = try check("access \(directory)") { access(directory, W_OK | X_OK) }
        }
    }

    /// Calls `body` with one directory after the other, until it succeeds.
    private func inFirstDirectory(_ body: (String) throws(Errno) -> Void) throws(Errno) {
        var failure = Errno(ENOENT, "no directory for the mount registry")
        for directory in directories {
            do throws(Errno) { return try body(directory) } catch { failure = error }
        }
        throw failure
    }

    /// Removes the record of the mount if it belongs to that process; a successor's record stays.
    package func withdraw(mount: String, pid: Int32) {
        for (file, record) in directories.flatMap(files(in:)) where record.mount == mount && record.pid == pid {
            unlink(file)
        }
    }

    /// Removes records of dead daemons. Only for writers: a reader could remove the record just written by a new daemon
    /// under the same name.
    private func sweep() {
        for (file, record) in directories.flatMap(files(in:))
        where !record.isRunning && ProcessEnd.of(record.pid) != .begun {
            unlink(file)
        }
    }

    private func files(in directory: String) -> [(file: String, record: MountRecord)] {
        // An absent directory holds no records.
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        return names.filter { $0.hasSuffix(".json") }.compactMap { name in
            let file = "\(directory)/\(name)"
            // A record that disappears or cannot be read is ignored.
            guard let data = try? Data(contentsOf: URL(filePath: file)),
                let record = try? JSONDecoder().decode(MountRecord.self, from: data),
                record.format == MountRecord.currentFormat
            else { return nil }
            return (file, record)
        }
    }

    private func write(_ record: MountRecord, in directory: String) throws(Errno) {
        try createDirectories(directory)
        guard let text = try? ControlFrame.payload(record) else { throw Errno(EINVAL, "encode") }
        // After a power loss a record has no meaning, so it need not be durable.
        try DurableFile("\(directory)/\(record.fileName)").replace(with: Array(text), isSynced: false)
    }
}
