import Basics
import CLinux
import Foundation
import Glibc

/// The files of a device's state, with their times and seals, as a backup program copies them.
struct StateCopy {
    /// The parts a backup program may copy at different times.
    enum Part: CaseIterable { case database, content }

    fileprivate struct File {
        let path: String
        let bytes: Data
        let modified: timespec
        let seal: [UInt8]?
    }

    private static let seal = "user.seal"
    fileprivate var files: [File] = []

    /// Adds a part's current files.
    ///
    /// - Parameter directory: The state's.
    mutating func add(_ part: Part, of directory: String) throws {
        let paths =
            switch part {
            case .database: ["metadata.sqlite", "metadata.sqlite-wal"]
            case .content: try Self.paths(below: "content", in: directory)
            }
        for path in paths where access("\(directory)/\(path)", F_OK) == 0 {
            files.append(try File(path: path, in: directory, seal: Self.seal))
        }
    }

    func write(to directory: String) throws {
        for file in files { try file.write(to: directory, seal: Self.seal) }
    }

    private static func paths(below folder: String, in directory: String) throws -> [String] {
        let names = try FileManager.default.subpathsOfDirectory(atPath: "\(directory)/\(folder)").sorted()
        return names.map { "\(folder)/\($0)" }.filter { path in
            var status = stat()
            return stat("\(directory)/\(path)", &status) == 0 && status.st_mode & S_IFMT == S_IFREG
        }
    }
}

extension StateCopy.File {
    fileprivate init(path: String, in directory: String, seal name: String) throws {
        let full = "\(directory)/\(path)"
        var status = stat()
        try check("stat \(full)") { stat(full, &status) }
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = getxattr(full, name, &bytes, bytes.count)
        self.init(
            path: path, bytes: try Data(contentsOf: URL(filePath: full)), modified: status.st_mtim,
            seal: count >= 0 ? Array(bytes.prefix(count)) : nil)
    }

    fileprivate func write(to directory: String, seal name: String) throws {
        let full = "\(directory)/\(path)"
        let folder = String(full[..<(full.lastIndex(of: "/") ?? full.startIndex)])
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try bytes.write(to: URL(filePath: full))
        if let seal { try check("setxattr \(full)") { setxattr(full, name, seal, seal.count, 0) } }
        try check("utimensat \(full)") { utimensat(AT_FDCWD, full, [modified, modified], 0) }
    }
}
