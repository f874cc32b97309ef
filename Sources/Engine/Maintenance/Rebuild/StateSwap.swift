import Basics
import FoundationEssentials
import Glibc

/// Replaces the old state with a rebuilt one atomically, also across crashes. The new state is built in `rebuild/`;
/// once `rebuild/commit.json` exists, the next start completes the swap; before that, nothing has changed.
package struct StateSwap: Sendable {
    /// The state directory, absolute.
    package let state: String

    package init(state: String) { self.state = state }

    package var work: String { "\(state)/rebuild" }
    package var database: String { "\(state)/metadata.sqlite" }
    package var content: String { "\(state)/content" }
    package var newDatabase: String { "\(work)/metadata.sqlite" }
    package var newContent: String { "\(work)/content" }
    private var commitFile: String { "\(work)/commit.json" }

    /// The steps of a swap, as stored on the disk.
    package struct Commit: Codable, Sendable {
        package var format: UInt32 = 1
        package let report: RebuildReport
        /// Blobs, relative to the old content, that stay with the old state; the rest are in the cloud or in the new
        /// state.
        package let kept: [String]

        package init(report: RebuildReport, kept: [String]) {
            self.report = report
            self.kept = kept
        }
    }

    /// Creates an empty directory for the build. Removes the files of an interrupted build, mere hard links.
    package func begin() throws {
        try removeTree(work)
        try check("mkdir") { mkdir(work, 0o700) }
    }

    /// Commits the swap: from here on it is completed and never rolled back.
    package func commit(_ commit: Commit) throws {
        try write(try JSONEncoder().encode(commit), to: commitFile)
        try carryThrough(commit)
    }

    /// Completes an interrupted swap. Returns nil if there is none; an unfinished build is removed.
    package func resume() throws -> RebuildReport? {
        guard access(work, F_OK) == 0 else { return nil }
        guard access(commitFile, F_OK) == 0 else {
            try removeTree(work)
            return nil
        }
        let commit = try JSONDecoder().decode(Commit.self, from: Data(contentsOf: URL(filePath: commitFile)))
        try carryThrough(commit)
        return commit.report
    }

    private func carryThrough(_ commit: Commit) throws {
        let aside = commit.report.aside
        try FileManager.default.createDirectory(atPath: aside, withIntermediateDirectories: true)
        // The remaining files in `rebuild/` show how far an earlier run progressed: the old state is moved away before
        // the new one replaces it.
        if access(newDatabase, F_OK) == 0 {
            for suffix in ["", "-wal", "-shm"] { try move(database + suffix, to: "\(aside)/metadata.sqlite\(suffix)") }
            if access(newContent, F_OK) == 0 {
                try move(content, to: "\(aside)/content")
                try move(newContent, to: content)
            }
            try move(newDatabase, to: database)
        }
        try syncDirectory(state)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        try write(try encoder.encode(commit.report), to: "\(aside)/report.json")
        try tidy("\(aside)/content", keeping: Set(commit.kept))
        try removeTree(work)
    }

    /// Moves a file if it exists; does nothing if an earlier run has moved it.
    private func move(_ source: String, to target: String) throws(Errno) {
        guard rename(source, target) != 0 else { return }
        guard errno == ENOENT else { throw Errno(errno, "rename \(source)") }
    }

    private func tidy(_ folder: String, keeping kept: Set<String>) throws {
        for shard in try names(in: folder) {
            for name in try names(in: "\(folder)/\(shard)") where !kept.contains("\(shard)/\(name)") {
                try check("unlink") { unlink("\(folder)/\(shard)/\(name)") }
            }
            // A folder with remaining files stays.
            _ = rmdir("\(folder)/\(shard)")
        }
        _ = rmdir(folder)
    }

    private func names(in folder: String) throws -> [String] {
        guard access(folder, F_OK) == 0 else { return [] }
        return try FileManager.default.contentsOfDirectory(atPath: folder)
    }

    private func removeTree(_ path: String) throws {
        guard access(path, F_OK) == 0 else { return }
        try FileManager.default.removeItem(atPath: path)
    }

    private func write(_ data: Data, to path: String) throws(Errno) {
        try DurableFile(path, temporary: "\(path).new").replace(with: Array(data))
    }
}
