import Foundation
import Glibc

/// A small file of the user's own, replaced as a whole.
struct DurableFile: Sendable {
    let path: String

    init(_ path: String) { self.path = path }

    /// Nil where there is none.
    func read() -> Data? { FileManager.default.contents(atPath: path) }

    /// - Returns: Whether it is on the disk.
    func write(_ bytes: [UInt8]) -> Bool {
        let folder = (path as NSString).deletingLastPathComponent
        let temporary = "\(path).\(UUID().uuidString)"
        do {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            let file = try PrivateFolder.makeFile(at: URL(filePath: temporary))
            try file.write(contentsOf: bytes)
            try file.synchronize()
            try file.close()
        } catch {
            unlink(temporary)
            return false
        }
        guard rename(temporary, path) == 0 else {
            unlink(temporary)
            return false
        }
        return Self.sync(folder)
    }

    private static func sync(_ path: String) -> Bool {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return fsync(descriptor) == 0
    }
}
