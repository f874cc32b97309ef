import SystemPackage
import Testing

/// Mounts at `point` while `body` runs, and unmounts even if `body` fails.
func withMount<T>(_ arguments: String..., at point: FilePath, _ body: () async throws -> T) async throws -> T {
    try #require(run(["mkdir", "-p", point.string]))
    try #require(run(["mount"] + arguments + [point.string]))
    do {
        let result = try await body()
        try #require(unmount(point))
        return result
    } catch {
        _ = unmount(point)
        throw error
    }
}

@discardableResult
func unmount(_ point: FilePath) -> Bool {
    // A program started by another test holds this process's descriptors from fork(2) to execve(2), so the mount may be
    // busy for a moment.
    (0..<100).contains { _ in run(["umount", point.string]) }
}
