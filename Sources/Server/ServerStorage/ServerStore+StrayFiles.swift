import Basics
import CloudModel
import CloudProtocol
import Foundation
import GRDB
import Glibc

/// Files without a row: a crash leaves them between the file and its row, either way.
extension ServerStore {
    /// A file of this age is not being written any more, in seconds.
    private static let strayAge = 3_600
    private static let step = 64

    /// Takes what a crash left in a container's folder.
    func sweepStrays(
        _ container: StoredContainer, _ pause: Duration, _ report: inout CollectionReport
    ) async throws {
        for shard in 0..<256 where !report.gaveWay {
            try Task.checkCancellation()
            let names = try await blocking { [files] in
                files.names(in: shard, of: container.id, olderThan: Self.strayAge)
            }
            var strays = try await withoutRow(names)[...]
            while !strays.isEmpty {
                guard let lock = try CopyLock.collecting(directory) else {
                    report.gaveWay = true
                    return
                }
                defer { lock.release() }
                report.strayFiles += try await removeFiles(Array(strays.prefix(Self.step)))
                strays = strays.dropFirst(Self.step)
                try await Task.sleep(for: pause)
            }
        }
    }

    private func withoutRow(_ names: [String]) async throws -> [String] {
        guard !names.isEmpty else { return [] }
        return try await database.read { db in try names.filter { try !Self.hasRow($0, db) } }
    }

    /// Removes files that still have no row; they are named below the folder of chunks. Under the lock of a write: a request that puts one of
    /// them meanwhile sees that it is gone before it adds its row.
    ///
    /// - Returns: How many there were.
    @discardableResult
    func removeFiles(_ names: [String]) async throws -> Int {
        guard !names.isEmpty else { return 0 }
        return try await database.commit { [directory] db in
            try names.reduce(0) { count, name in
                guard try !Self.hasRow(name, db) else { return count }
                return count + (unlink("\(directory.chunks)/\(name)") == 0 ? 1 : 0)
            }
        }
    }

    static func hasRow(_ name: String, _ db: Database) throws -> Bool {
        guard let place = ChunkPlace(name: name) else { return false }
        return try Int.fetchOne(
            db.cachedStatement(sql: "SELECT 1 FROM chunk WHERE container = ? AND id = ? AND size = ?"),
            arguments: [place.container, Data(place.id.bytes), place.size]) != nil
    }
}

extension ChunkPlace {
    /// Of a file below the folder of chunks; nil for one that is none of ours.
    init?(name: String) {
        let parts = name.split(separator: "/")
        guard parts.count == 3, let container = Int64(parts[0]) else { return nil }
        let ends = parts[2].split(separator: "-")
        guard ends.count == 2, let size = Int(ends[1]), let bytes = Hex.decode("\(parts[1])\(ends[0])"),
            let id = ChunkID(bytes)
        else { return nil }
        self.init(container: container, id: id, size: size)
    }
}

extension ChunkFiles {
    /// Names below the folder of chunks of what is older than so many seconds.
    func names(in shard: Int, of container: Int64, olderThan age: Int) -> [String] {
        let digits = String(shard, radix: 16)
        let folder = "\(container)/\(digits.count == 1 ? "0" : "")\(digits)"
        let path = "\(directory.chunks)/\(folder)"
        let latest = time(nil) - age
        return fileNames(in: path).filter { name in
            var information = stat()
            return lstat("\(path)/\(name)", &information) == 0 && information.st_mtim.tv_sec <= latest
        }.map { "\(folder)/\($0)" }
    }
}
