import CLinux
import DaemonProtocol
import Foundation
import Glibc

/// A move of an item into a container, or out of one.
///
/// The item is copied to a hidden name beside its destination, synced to the disk and renamed into place in one step. Only then do its
/// presenters follow it, and the original is removed. At any moment, even after a power loss, the item is complete in one of the two
/// places.
struct BorderMove {
    let url: URL
    let destination: URL
    private let source: ClaimRouter.Route
    private let target: ClaimRouter.Route

    /// - Throws: `CocoaError` if both places are on the same side of the border, the item is a whole container, or there is nothing to
    ///   move.
    init(isIntoCloud: Bool, from url: URL, to destination: URL) throws {
        self.url = url
        self.destination = destination
        (source, target) = (ClaimRouter.shared.route(url), ClaimRouter.shared.route(destination))
        guard (target.mount != nil) == isIntoCloud else {
            throw CoordinationFailure.error(
                .fileWriteInvalidFileName,
                isIntoCloud ? "The destination is not in a container." : "The destination is in a container.",
                at: destination)
        }
        guard (source.mount != nil) != isIntoCloud else {
            throw CoordinationFailure.error(
                .fileWriteInvalidFileName,
                isIntoCloud ? "The item is already in a container." : "The item is not in a container.", at: url)
        }
        guard source.exists else {
            throw CoordinationFailure.error(.fileNoSuchFile, "\(url.path) does not exist.", at: url)
        }
        for (route, place) in [(source, url), (target, destination)] {
            guard let mount = route.mount, !route.path.dropFirst(mount.root.count + 1).contains("/") else { continue }
            throw CoordinationFailure.error(
                .fileWriteNoPermission,
                "\(place.path) is a container, and a container cannot be moved out of the cloud as a whole.",
                at: place)
        }
    }

    /// Performs the move. May take as long as a download.
    func run() throws {
        if let mount = source.mount {
            do { try mount.download(source.path) } catch { throw error.cocoa(url) }
        }
        var coordination: NSError?
        var result: Result<Void, any Error>?
        NSFileCoordinator().coordinate(
            writingItemAt: url, options: .forMoving, writingItemAt: destination, options: .forReplacing,
            error: &coordination
        ) { from, to in
            result = Result { try carry(from, to) }
        }
        // A completed move is a success even if its claims failed afterwards.
        guard let result else { throw coordination ?? CocoaError(.fileWriteUnknown) }
        try result.get()
    }

    private func carry(_ from: URL, _ to: URL) throws {
        let copy = to.deletingLastPathComponent().appending(path: ".\(UUID().uuidString).tmp")
        do {
            guard !WantedItem.exists(to.path) else { throw occupied }
            let before = try FileStamps(of: from.path)
            try FileManager.default.copyItem(at: from, to: copy)
            try DurableCopy(of: from.path, at: copy.path).complete()
            guard try FileStamps(of: from.path) == before else {
                let message = "A program that does not use file coordination changed \(from.path) while it was copied."
                throw CoordinationFailure.error(.fileLocking, message, at: url)
            }
            try put(copy.path, at: to.path)
        } catch {
            // The partial copy is useless; the original is complete.
            try? FileManager.default.removeItem(at: copy)
            throw error
        }
        PresenterDirectory.shared.move(ClaimRouter.shared.route(from), to: ClaimRouter.shared.route(to))
        do { try FileManager.default.removeItem(at: from) } catch {
            let message = "It was copied to \(to.path), but the original at \(from.path) could not be removed: \(error)"
            throw CoordinationFailure.error(.fileWriteUnknown, message, at: from)
        }
    }

    private var occupied: NSError {
        CoordinationFailure.error(.fileWriteFileExists, "\(destination.path) already exists.", at: destination)
    }

    /// `RENAME_NOREPLACE` of `<linux/fs.h>`.
    private static let noReplace: UInt32 = 1

    private func put(_ copy: String, at path: String) throws {
        var failure = linux_rename(copy, path, Self.noReplace) == 0 ? 0 : errno
        // Some network file systems do not support the flag; the destination was checked under the claim.
        if failure == EINVAL, !WantedItem.exists(path) { failure = rename(copy, path) == 0 ? 0 : errno }
        guard failure != EEXIST else { throw occupied }
        guard failure == 0 else {
            let why = String(cString: strerror(failure))
            throw CoordinationFailure.error(
                .fileWriteUnknown, "It could not be moved to \(path): \(why)", at: destination)
        }
        try DurableCopy.sync(URL(filePath: path).deletingLastPathComponent().path)
    }
}

/// A copy of a file or folder that gains what `FileManager` does not copy, and is then made durable.
struct DurableCopy {
    private let original: String
    private let copy: String

    init(of original: String, at copy: String) {
        self.original = original
        self.copy = copy
    }

    /// Copies times, tags and other attributes of the user, then makes everything durable.
    func complete() throws {
        var status = stat()
        guard lstat(copy, &status) == 0 else { throw CocoaError(.fileReadUnknown) }
        let isFolder = status.st_mode & S_IFMT == S_IFDIR
        // Deepest first: a change inside a folder updates the folder's time.
        let below = isFolder ? try FileManager.default.subpathsOfDirectory(atPath: copy).sorted(by: >) : []
        for path in below.map({ "/" + $0 }) + [""] {
            copyAttributes(original + path, copy + path)
            try Self.sync(copy + path)
        }
    }

    /// Copies attributes with best effort: an attribute or a time that the other file system does not support must not prevent the move.
    private func copyAttributes(_ from: String, _ to: String) {
        var names = [CChar](repeating: 0, count: 1 << 16)
        let length = llistxattr(from, &names, names.count)
        for name in names.prefix(max(0, length)).split(separator: 0).map({ Array($0) + [0] }) {
            var value = [UInt8](repeating: 0, count: 1 << 16)
            let count = lgetxattr(from, name, &value, value.count)
            if String(decoding: name.map(UInt8.init(bitPattern:)), as: UTF8.self).hasPrefix("user."), count >= 0 {
                _ = lsetxattr(to, name, value, count, 0)
            }
        }
        var status = stat()
        guard lstat(from, &status) == 0 else { return }
        let times = [status.st_atim, status.st_mtim]
        _ = utimensat(AT_FDCWD, to, times, AT_SYMLINK_NOFOLLOW)
    }

    static func sync(_ path: String) throws {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else {
            // A symbolic link and a socket have no bytes of their own to sync.
            if errno == ELOOP || errno == ENXIO { return }
            throw Self.failure(path)
        }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw Self.failure(path) }
    }

    private static func failure(_ path: String) -> NSError {
        let (code, why) = (errno, String(cString: strerror(errno)))
        return CoordinationFailure.error(
            code == ENOSPC || code == EDQUOT ? .fileWriteOutOfSpace : .fileWriteUnknown,
            "\(path) could not be written durably: \(why)", at: URL(filePath: path))
    }
}
