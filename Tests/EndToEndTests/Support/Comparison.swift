import TestSupport
import Testing

/// What every test of a program asks: is it in the mount as it is on a disk, and is it the same on the other device?
extension TestDevices {
    var a: TestDevice { devices[0] }
    var b: TestDevice { devices[1] }

    /// Runs a script in a plain directory and in A's documents, which must then hold the same; then B must hold what A has,
    /// down to the time of each folder.
    ///
    /// - Parameters:
    ///   - local: patterns (rsync's) of names that stay on A.
    ///   - varying: patterns of names whose bytes depend on time or place, so that the plain directory has others.
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

    /// Uploads what A has and waits until B has the same, attribute for attribute and byte for byte.
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
    /// What rsync would change to make `copy` like `original`, comparing bytes; without `times`, contents, types, permissions
    /// and link targets only.
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
    /// Paths of all files of the documents folder, sorted by their bytes.
    func paths() async throws -> [String] {
        try await shell("find . -type f -printf '%P\\n'").split(separator: "\n").map(String.init).sorted()
    }

    /// Whether there are exactly these files, by path and text.
    func holds(_ files: [String: String]) async throws -> Bool {
        guard try await paths() == files.keys.sorted() else { return false }
        for (path, text) in files {
            guard try await contents(path) == text else { return false }
        }
        return true
    }
}
