import Basics
import CloudModel
import CloudProtocol
import Foundation
import Glibc

/// Files without a row. A crash between writing or removing a file and its row leaves them.
extension ChunkCollector {
    /// The age in seconds from which a file is no longer being written.
    private static let strayAge = 3_600
    private static let step = 64

    /// Removes the files that a crash left in a container's folder.
    func sweepStrays(
        _ container: LogStore.StoredContainer, _ pause: Duration, _ report: inout CollectionReport
    ) async throws {
        for shard in 0..<256 where !report.gaveWay {
            try Task.checkCancellation()
            let names = try await chunks.threads.blocking { [files = chunks.files] in
                files.names(in: shard, of: container.id, olderThan: Self.strayAge)
            }
            var strays = try await chunks.withoutRow(names)[...]
            while !strays.isEmpty {
                guard let lock = try CopyLock.collecting(directory) else {
                    report.gaveWay = true
                    return
                }
                defer { lock.release() }
                report.strayFiles += try await chunks.removeFiles(Array(strays.prefix(Self.step)))
                strays = strays.dropFirst(Self.step)
                try await Task.sleep(for: pause)
            }
        }
    }
}

extension ChunkPlace {
    /// Parses the path of a file below the folder of chunks; nil if the file is not one of ours.
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
    /// Returns the paths, below the folder of chunks, of files that are older than `age` seconds.
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
