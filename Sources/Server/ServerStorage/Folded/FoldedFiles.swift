import Basics
import Glibc

/// The files of folded logs, one for each container. They are derived from the logs: any of them may be removed at any time.
///
/// The version of the tables is in the name, so that a release never writes to the file of another one: an older one that serves while a
/// command of this one runs would fold entries without what this one records.
struct FoldedFiles: Sendable {
    let folder: String

    private static let ending = "-\(FoldedSchema.version).sqlite"
    /// SQLite's own files beside a database (sqlite.org/tempfiles.html).
    private static let suffixes = ["", "-wal", "-shm"]

    func path(of container: Int64) -> String { "\(folder)/\(container)\(Self.ending)" }

    func remove(_ container: Int64) { Self.remove(path(of: container)) }

    /// Removes a database with SQLite's files beside it.
    static func remove(_ path: String) { for suffix in suffixes { unlink(path + suffix) } }

    /// Removes the files of containers that are no more, and of other releases.
    ///
    /// - Parameter containers: Returns the numbers of all containers. It is called after the files are listed, so that a container that is
    ///   added meanwhile keeps its file.
    func removeStrays(containers: () throws -> [Int64]) rethrows {
        let names = fileNames(in: folder)
        let known = Set(
            try containers().flatMap { container in Self.suffixes.map { "\(container)\(Self.ending)\($0)" } })
        for name in names where !known.contains(name) { unlink("\(folder)/\(name)") }
    }
}
