import Basics
package import DaemonProtocol
import FoundationEssentials
import Glibc
package import Logging
import Synchronization
package import VirtualFileSystem

/// The rules for programs in the user's and the system's `programs.json`.
package final class ProgramSettings: Sendable {
    /// A file as last seen.
    private struct Seen {
        var mark: Mark?
        var rules = ProgramRules()
    }

    /// Changes when a file is replaced or written.
    private struct Mark: Equatable {
        let device: UInt64
        let inode: UInt64
        let size: Int64
        let modified: Timestamp
    }

    private let paths: [String]
    private let log: Logger
    private let seen: Mutex<[Seen]>

    /// How often the files are checked for changes.
    package static let period = Duration.seconds(10)

    /// - Parameter paths: The files, the most important first.
    package init(_ paths: [String], log: Logger) {
        self.paths = paths
        self.log = log
        seen = Mutex(paths.map { _ in Seen() })
    }

    /// The policy by the files as last read by ``reload()``. Does not touch the disk: the files may be in the asking
    /// mount.
    package var policy: HydrationPolicy { HydrationPolicy(seen.withLock { $0.map(\.rules) }) }

    /// Reads the files changed since the last call. An invalid file keeps its previous rules, is logged, and is not
    /// read again until it changes.
    ///
    /// - Returns: The failures of the files read.
    @discardableResult
    package func reload() -> [DaemonFailure] {
        var failures: [DaemonFailure] = []
        for (index, path) in paths.enumerated() {
            let mark = Self.mark(of: path)
            guard mark != seen.withLock({ $0[index].mark }) else { continue }
            seen.withLock { $0[index].mark = mark }
            do {
                let rules = try mark == nil ? ProgramRules() : Self.load(path)
                seen.withLock { $0[index].rules = rules }
            } catch {
                log.warning("\(error)")
                failures.append(error)
            }
        }
        return failures
    }

    private static func load(_ path: String) throws(DaemonFailure) -> ProgramRules {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            throw DaemonFailure(
                .invalidRequest, "the rules for programs cannot be read (\(Errno(errno)))", path: path,
                advice: "Make the file readable, or remove it.")
        }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var page = [UInt8](repeating: 0, count: 64 << 10)
        while bytes.count <= ProgramRulesFile.maximumBytes, case let count = read(descriptor, &page, page.count),
            count > 0
        {
            bytes += page[..<count]
        }
        return try ProgramRulesFile.parse(bytes, path: path)
    }

    /// Returns nil if there is no file.
    private static func mark(of path: String) -> Mark? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        return Mark(
            device: UInt64(status.st_dev), inode: UInt64(status.st_ino), size: Int64(status.st_size),
            modified: Timestamp(status.st_mtim))
    }
}
