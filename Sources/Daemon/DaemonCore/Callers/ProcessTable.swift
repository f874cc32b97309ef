import CLinux
import Glibc
package import VirtualFileSystem

/// Reads the kernel's view of processes. The only file to read `/proc` for ``HydrationPolicy``.
package struct ProcessTable: ProcessSource {
    /// Whether the numbers in `/proc` are the kernel's numbers for this process. In a container with a foreign `/proc`
    /// they are not.
    private let isOurs: Bool

    /// How many parents are examined: a desktop's session is about six deep.
    private static let maximumParents = 8
    /// A larger environment is searched only up to this size.
    private static let maximumEnvironment = 256 << 10
    /// A map of memory likewise: a file manager's has 200 KB.
    private static let maximumMaps = 1 << 20

    package init() { isOurs = Self.target("/proc/self") == String(getpid()) }

    package func stat(of thread: Int32) -> ProcessStat? {
        guard isOurs, thread > 0 else { return nil }
        return Self.read("/proc/\(thread)/stat", limit: 4096).flatMap(ProcessStat.init(parsing:))
    }

    package func hasIdleIO(_ thread: Int32) -> Bool { thread > 0 && linux_has_idle_io(thread) == 1 }

    package func facts(of stat: ProcessStat, hasIdleIO: Bool) -> ProcessFacts {
        ProcessFacts(
            program(stat), parents: parents(of: stat),
            controlGroups: ProcessTexts.controlGroups(Self.read("/proc/\(stat.id)/cgroup", limit: 16 << 10) ?? []),
            hasIdleIO: hasIdleIO, isScheduledIdle: stat.isIdle, hasTerminal: stat.terminal != 0,
            usesGLib: ProcessTexts.hasGLib(Self.read("/proc/\(stat.id)/maps", limit: Self.maximumMaps) ?? []))
    }

    private func parents(of stat: ProcessStat) -> [ProcessFacts.Program] {
        var found: [ProcessFacts.Program] = []
        var next = stat.parent
        // The first process starts everything, so it says nothing.
        while next > 1, found.count < Self.maximumParents, let parent = self.stat(of: next) {
            found.append(program(parent))
            next = parent.parent
        }
        return found
    }

    private func program(_ stat: ProcessStat) -> ProcessFacts.Program {
        let folder = "/proc/\(stat.id)"
        return ProcessFacts.Program(
            path: Self.target("\(folder)/exe").map(ProcessTexts.executable),
            name: String(decoding: stat.name, as: UTF8.self),
            arguments: ProcessTexts.arguments(Self.read("\(folder)/cmdline", limit: 16 << 10) ?? []),
            declared: Self.read("\(folder)/environ", limit: Self.maximumEnvironment).flatMap(ProcessTexts.declared))
    }

    /// Returns the target of a link; nil if the process is gone or belongs to another user.
    private static func target(_ path: String) -> String? {
        var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink(path, &bytes, bytes.count)
        guard count > 0 else { return nil }
        return String(decoding: bytes[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Reads at most `limit` bytes; nil if the process is gone or belongs to another user.
    private static func read(_ path: String, limit: Int) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var page = [UInt8](repeating: 0, count: 4096)
        while bytes.count < limit, case let count = Glibc.read(descriptor, &page, min(page.count, limit - bytes.count)),
            count > 0
        {
            bytes += page[..<count]
        }
        return bytes
    }
}
