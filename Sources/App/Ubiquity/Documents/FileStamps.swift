import Foundation
import Glibc

/// The sizes and times of a file, or of everything in a folder. They differ after any write.
struct FileStamps: Equatable {
    private struct Stamp: Equatable {
        let kind: mode_t
        let size: off_t
        let seconds: Int
        let nanoseconds: Int
    }

    private var stamps: [String: Stamp] = [:]

    /// - Throws: `CocoaError.fileReadUnknown` if the metadata of a file cannot be read.
    init(of path: String) throws {
        let own = try Self.stamp(path)
        stamps[""] = own
        guard own.kind == S_IFDIR else { return }
        for name in try FileManager.default.subpathsOfDirectory(atPath: path) {
            stamps[name] = try Self.stamp("\(path)/\(name)")
        }
    }

    private static func stamp(_ path: String) throws -> Stamp {
        var status = stat()
        guard lstat(path, &status) == 0 else {
            throw CocoaError(.fileReadUnknown, userInfo: [NSFilePathErrorKey: path])
        }
        return Stamp(
            kind: status.st_mode & S_IFMT, size: status.st_size, seconds: status.st_mtim.tv_sec,
            nanoseconds: status.st_mtim.tv_nsec)
    }
}
