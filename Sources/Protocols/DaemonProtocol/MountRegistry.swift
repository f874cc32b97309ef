package import Basics
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

    /// The records of running daemons, one per mount, ordered by mount point. Records of dead daemons and other files are skipped.
    package func records() -> [MountRecord] {
        var found: [String: MountRecord] = [:]
        for (_, record) in directories.flatMap(files(in:)) where record.isRunning && found[record.mount] == nil {
            found[record.mount] = record
        }
        return found.values.sorted { $0.mount < $1.mount }
    }

    /// Writes the record to the first directory that is writable and removes records of dead daemons.
    package func publish(_ record: MountRecord) throws(Errno) {
        sweep()
        var failure = Errno(ENOENT, "no directory for the mount registry")
        for directory in directories {
            do {
                try write(record, in: directory)
                return
            } catch {
                failure = error
            }
        }
        throw failure
    }

    /// Removes the record of that mount if it is of that process: a successor's record stays.
    package func withdraw(mount: String, pid: Int32) {
        for (file, record) in directories.flatMap(files(in:)) where record.mount == mount && record.pid == pid {
            unlink(file)
        }
    }

    /// Removes records of dead daemons. Only for writers: a reader could remove what a new daemon has just written under the same name.
    private func sweep() {
        for (file, record) in directories.flatMap(files(in:)) where !record.isRunning { unlink(file) }
    }

    private func files(in directory: String) -> [(file: String, record: MountRecord)] {
        // An absent directory holds no records.
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        return names.filter { $0.hasSuffix(".json") }.compactMap { name in
            let file = "\(directory)/\(name)"
            // A record that vanishes or can not be read is ignored.
            guard let data = try? Data(contentsOf: URL(filePath: file)),
                let record = try? JSONDecoder().decode(MountRecord.self, from: data),
                record.format == MountRecord.currentFormat
            else { return nil }
            return (file, record)
        }
    }

    private func write(_ record: MountRecord, in directory: String) throws(Errno) {
        try createDirectories(directory)
        let temporary = "\(directory)/.\(record.fileName).\(record.pid)"
        guard let text = try? ControlFrame.payload(record) else { throw Errno(EINVAL, "encode") }
        let descriptor = try check("open") {
            open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        }
        let written = text.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
        close(descriptor)
        guard written == text.count else {
            unlink(temporary)
            throw Errno(ENOSPC, "write")
        }
        // Renamed into place: a reader sees a whole record or none.
        try check("rename") { rename(temporary, "\(directory)/\(record.fileName)") }
    }
}

/// Makes a directory that only its owner may enter, and those above it as `mkdir -p` does.
package func createDirectories(_ path: String) throws(Errno) {
    if mkdir(path, 0o700) == 0 { return }
    switch errno {
    case EEXIST: return
    case ENOENT:
        guard let slash = path.lastIndex(of: "/"), slash > path.startIndex else { throw Errno(ENOENT, "mkdir") }
        try createDirectories(String(path[..<slash]))
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw Errno(errno, "mkdir") }
    default: throw Errno(errno, "mkdir")
    }
}
