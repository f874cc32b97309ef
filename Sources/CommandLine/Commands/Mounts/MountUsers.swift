import Basics
import Glibc

/// A program's open file in a mount.
package struct OpenedFile: Equatable, Sendable {
    package let pid: Int32
    /// The name of the program (proc_pid_comm(5)).
    package let program: String
    /// The absolute path of the file.
    package let path: String

    package init(pid: Int32, program: String, path: String) {
        self.pid = pid
        self.program = program
        self.path = path
    }
}

/// The programs with open files in a mount, according to /proc. Never queries the mount itself, which may hang.
/// Programs of other users are visible only to root.
struct MountUsers {
    let mount: String
    /// The mount's daemon. Its own processes do not count: it ends them before the mount.
    let daemon: pid_t

    /// Returns one file for each program, ordered by process id.
    func all() -> [OpenedFile] {
        Self.names(in: "/proc").compactMap { pid_t($0) }.sorted().compactMap { pid in
            guard pid != getpid(), let path = openPath(of: pid), Self.parent(pid) != daemon else { return nil }
            return OpenedFile(pid: pid, program: Self.program(pid), path: path)
        }
    }

    /// Returns an open or mapped file. A program's current directory does not count, since nothing is lost there.
    private func openPath(of pid: pid_t) -> String? {
        let descriptors = "/proc/\(pid)/fd"
        for name in Self.names(in: descriptors) {
            guard let path = Self.target(of: "\(descriptors)/\(name)"), isInside(path),
                !Self.isFolder(pid, name)
            else { continue }
            return path
        }
        let mappings = "/proc/\(pid)/map_files"
        return Self.names(in: mappings).lazy.compactMap { Self.target(of: "\(mappings)/\($0)") }.first(where: isInside)
    }

    private func isInside(_ path: String) -> Bool { path.hasPrefix("\(mount)/") }

    /// Checks the flags of the open file (proc_pid_fdinfo(5)): `O_DIRECTORY` or `O_PATH`.
    private static func isFolder(_ pid: pid_t, _ descriptor: String) -> Bool {
        let lines = text("/proc/\(pid)/fdinfo/\(descriptor)").split(separator: "\n")
        guard let line = lines.first(where: { $0.hasPrefix("flags:") }),
            let flags = Int32(line.dropFirst(6).drop { $0.isWhitespace }, radix: 8)
        else { return false }
        return flags & (O_DIRECTORY | 0o10_000_000) != 0
    }

    /// Returns the parent's id (proc_pid_stat(5)); nil if the process has ended meanwhile.
    private static func parent(_ pid: pid_t) -> pid_t? {
        let text = text("/proc/\(pid)/stat")
        // The program's name, in parentheses, may contain any character.
        let fields = text[(text.lastIndex(of: ")") ?? text.endIndex)...].split(separator: " ")
        return fields.count > 2 ? pid_t(fields[2]) : nil
    }

    private static func program(_ pid: pid_t) -> String {
        let name = text("/proc/\(pid)/comm").split(separator: "\n").first.map(String.init) ?? ""
        return name.isEmpty ? "a program" : name
    }

    private static func target(of link: String) -> String? {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink(link, &buffer, buffer.count)
        return count > 0 ? String(decoding: buffer[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self) : nil
    }

    /// Returns an empty text if the file cannot be read, as for a program that has ended meanwhile.
    private static func text(_ path: String) -> String {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return "" }
        defer { close(file) }
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = read(file, &buffer, buffer.count)
        return String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
    }

    private static func names(in folder: String) -> [String] {
        guard let directory = opendir(folder) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = entry.name
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }
}

extension CommandFailure {
    /// Creates the failure for a mount in use; nil if it is not.
    package init?(mount: String, usedBy users: [OpenedFile]) {
        guard !users.isEmpty else { return nil }
        let most = 5
        var parts = users.prefix(most).map { "\(printable($0.program)) (pid \($0.pid)) has \(printable($0.path)) open" }
        if users.count > most { parts.append("\(users.count - most) more programs have files open") }
        self.init(
            .refused, "in use: \(parts.joined(separator: ", "))", path: mount,
            advice:
                "Close these files, or unmount it anyway with --force: what was written is kept, later writes fail."
        )
    }
}
