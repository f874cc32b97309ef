import Basics
import Glibc

/// The files of folded logs, one for each container. They are derived from the logs: any of them may be removed at any
/// time.
///
/// The file name includes the version of the tables, so that a release never writes to a different release's file: an
/// older release, serving while a command of this release runs, would fold entries without this release's records.
struct FoldedFiles: Sendable {
    let folder: String

    private static let ending = "-\(FoldedSchema.version).sqlite"
    /// SQLite's own files beside a database (sqlite.org/tempfiles.html).
    private static let suffixes = ["", "-wal", "-shm"]

    func path(of container: Int64) -> String { "\(folder)/\(container)\(Self.ending)" }

    func remove(_ container: Int64) { Self.remove(path(of: container)) }

    /// Removes a database with SQLite's files beside it.
    static func remove(_ path: String) { for suffix in suffixes { unlink(path + suffix) } }

    /// Removes the files of removed containers, and of other releases.
    ///
    /// - Parameter containers: Returns the numbers of all containers. It is called after listing the files, so that a
    ///   container added meanwhile keeps its file.
    func removeStrays(containers: () throws -> [Int64]) rethrows {
        let names = fileNames(in: folder)
        let known = Set(
            try containers().flatMap { container in Self.suffixes.map { "\(container)\(Self.ending)\($0)" } })
        for name in names where !known.contains(name) { unlink("\(folder)/\(name)") }
    }
}
