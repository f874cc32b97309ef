import Basics
import DaemonProtocol
import FoundationEssentials
import Glibc

/// A move of a file or folder between file systems: it is copied, the copy is made durable, and only then the original is removed.
struct DocumentMove {
    let source: String
    let target: String

    init(from source: String, to target: String) {
        self.source = source
        self.target = target
    }

    /// Returns the path in an existing folder under the source's name; otherwise the path itself.
    static func target(of source: String, at destination: String) -> String {
        var isFolder = false
        let exists = FileManager.default.fileExists(atPath: destination, isDirectory: &isFolder)
        guard exists, isFolder, let name = source.split(separator: "/").last else { return destination }
        return destination.hasSuffix("/") ? destination + name : "\(destination)/\(name)"
    }

    /// Runs `body` while no other coordinating program reads or writes the document.
    static func holding(
        _ path: MountPath, _ options: [AccessOption], _ connection: inout DaemonConnection,
        _ body: () throws(CommandFailure) -> Void
    ) throws(CommandFailure) {
        let access = WantedAccess(path: path, mode: .write, options: options)
        _ = try connection.call(AccessRequest(accesses: [access], purpose: nil, timeout: nil))
        let claim = connection.lastID
        // The end of the connection would release the claim as well.
        defer { _ = try? connection.call(FinishRequest(claim: claim)) }
        try body()
    }

    func run() throws(CommandFailure) {
        guard access(source, F_OK) == 0 else { throw CommandFailure(.failed, "it does not exist", path: source) }
        guard access(target, F_OK) != 0 else {
            throw CommandFailure(
                .refused, "the destination already exists", path: target,
                advice: "Choose another destination, or remove it first.")
        }
        do {
            try FileManager.default.copyItem(atPath: source, toPath: target)
            try Self.makeDurable(target)
        } catch {
            // The partial copy is useless; the original is complete.
            try? FileManager.default.removeItem(atPath: target)
            throw CommandFailure(
                .failed, "cannot move it to \(printable(target)): \(plainReason(error)); nothing was changed",
                path: source)
        }
        do { try FileManager.default.removeItem(atPath: source) } catch {
            throw CommandFailure(
                .failed, "it was copied to \(printable(target)), but not removed: \(plainReason(error))", path: source)
        }
    }

    /// Syncs a file, or everything in a folder, and the folder that contains it.
    private static func makeDurable(_ path: String) throws {
        var isFolder = false
        _ = FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
        let below = isFolder ? try FileManager.default.subpathsOfDirectory(atPath: path) : []
        let folder = path.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
        for each in below.map({ "\(path)/\($0)" }) + [
            path, folder.isEmpty ? (path.hasPrefix("/") ? "/" : ".") : folder,
        ] {
            let descriptor = open(each, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
            // A symbolic link has no bytes of its own to sync.
            guard descriptor >= 0 else {
                if errno == ELOOP { continue }
                throw Errno(errno, "open")
            }
            defer { close(descriptor) }
            guard fsync(descriptor) == 0 else { throw Errno(errno, "fsync") }
        }
    }
}
