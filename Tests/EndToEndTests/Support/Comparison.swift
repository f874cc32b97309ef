import TestSupport
import Testing

/// The questions of every program test: does the mount equal a disk, and does the other device equal the mount?
extension TestDevices {
    var a: TestDevice { devices[0] }
    var b: TestDevice { devices[1] }

    /// Runs a script in a plain directory and in A's documents, and expects equal contents; then B must equal A, down
    /// to each folder's time.
    ///
    /// - Parameters:
    ///   - local: patterns (rsync's) of names that stay on A.
    ///   - varying: patterns of names with bytes that depend on time or place and so differ in the plain directory.
    func expectSameEverywhere(
        _ script: String, local: [String] = [], varying: [String] = [],
        limit: Duration = ProgramRunner.defaultLimit
    ) async throws {
        let directory = try plain()
        try await a.runner.run("bash", ["-euo", "pipefail", "-c", script], in: directory, limit: limit).text()
        try await a.shell(script, limit: limit)
        let unlike = try await a.differences(directory, a.documents, times: false, excluding: varying)
        #expect(unlike.isEmpty, "the plain directory and A differ")
        try await expectConverged(excluding: local)
    }

    /// Uploads A's changes and waits until B has the same attributes and bytes.
    func expectConverged(excluding: [String] = []) async throws {
        try await a.sync()
        try await eventually("A and B are the same") {
            try await a.differences(a.documents, b.documents, excluding: excluding).isEmpty
        } describe: {
            try await a.differences(a.documents, b.documents, excluding: excluding).joined(separator: "\n")
        }
    }
}

extension TestDevice {
    /// Returns rsync's changes to make `copy` equal to `original`, comparing bytes. Without `times`, it compares only
    /// contents, types, permissions and link targets.
    func differences(
        _ original: String, _ copy: String, times: Bool = true, excluding: [String] = []
    ) async throws -> [String] {
        let flags = times ? "-aniX" : "-rlpniX"
        let patterns = excluding.map { "--exclude=\($0)" }
        return try await runner.run(
            "rsync", [flags, "--checksum", "--delete"] + patterns + ["\(original)/", "\(copy)/"], in: "/"
        ).lines()
    }
}

extension TestDevice {
    /// Returns the paths of all files of the documents folder, sorted.
    func paths() async throws -> [String] {
        try await shell("find . -type f -printf '%P\\n'").split(separator: "\n").map(String.init).sorted()
    }

    /// Returns whether exactly these files exist, by path and text.
    func holds(_ files: [String: String]) async throws -> Bool {
        guard try await paths() == files.keys.sorted() else { return false }
        for (path, text) in files {
            guard try await contents(path) == text else { return false }
        }
        return true
    }
}
