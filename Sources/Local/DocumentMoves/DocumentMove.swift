package import Basics
import CLinux
import Glibc

/// A move of a file or folder to a different file system: into a mount, or out of one.
///
/// The item is copied completely to a hidden, unsynced name beside its destination; the copy is made durable and then
/// renamed to its place in one step. Only then may the original be removed. At any moment, even after a power loss, the
/// item is complete in one of the two places.
package struct DocumentMove {
    private let source: [UInt8]
    private let target: [UInt8]
    private let copy: [UInt8]

    /// - Parameters:
    ///   - source: The path of the item, as passed to the kernel: names need not be UTF-8.
    ///   - target: A free path in an existing folder.
    package init(from source: [UInt8], to target: [UInt8]) {
        (self.source, self.target) = (source, target)
        let random = Hex.encode(UInt64.random(in: 0...UInt64.max))
        copy = Self.folder(of: target) + Array("/.ubiquity-\(random).tmp".utf8)
    }

    /// Copies the item to its place. The original stays: ``removeOriginal()`` removes it.
    ///
    /// - Parameter progress: Called after each copied piece, with the number of bytes so far and in total.
    /// - Throws: `EEXIST` if the destination exists, `EBUSY` if the item was changed during the copy, `EOPNOTSUPP` for
    ///   devices and sockets; otherwise the error of a call. Nothing was changed then.
    package func copyToPlace(_ progress: (_ done: UInt64, _ all: UInt64) -> Void = { _, _ in }) throws(Errno) {
        guard FileStatus(target) == nil else { throw Errno(EEXIST) }
        do throws(Errno) {
            let before = try TreeStamps(of: source)
            var tree = TreeCopy(total: before.bytes)
            try tree.copy(source, to: copy, progress)
            guard try TreeStamps(of: source) == before else { throw Errno(EBUSY) }
            try putInPlace()
        } catch {
            // The partial copy is useless, and the original is complete.
            try? TreeRemoval.remove(copy)
            throw error
        }
        try Self.sync(Self.folder(of: target))
    }

    /// Removes the original after ``copyToPlace(_:)``.
    package func removeOriginal() throws(Errno) {
        try TreeRemoval.remove(source)
        try Self.sync(Self.folder(of: source))
    }

    /// `RENAME_NOREPLACE` of `<linux/fs.h>`.
    private static let noReplace: UInt32 = 1

    private func putInPlace() throws(Errno) {
        var failure = linux_rename(terminated(copy), terminated(target), Self.noReplace) == 0 ? 0 : errno
        // Some network file systems do not support the flag.
        if failure == EINVAL, FileStatus(target) == nil {
            failure = rename(terminated(copy), terminated(target)) == 0 ? 0 : errno
        }
        guard failure == 0 else { throw Errno(failure, "rename") }
    }

    private static func folder(of path: [UInt8]) -> [UInt8] {
        guard let slash = path.lastIndex(of: UInt8(ascii: "/")) else { return [UInt8(ascii: ".")] }
        return slash == 0 ? [UInt8(ascii: "/")] : Array(path[..<slash])
    }

    static func sync(_ path: [UInt8]) throws(Errno) {
        let descriptor = try check("open") {
            open(terminated(path), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        }
        defer { close(descriptor) }
        guard fsync(descriptor) != 0 else { return }
        // Some file systems cannot sync a directory (fsync(2): EINVAL).
        guard errno == EINVAL else { throw Errno(errno, "fsync") }
    }
}

func terminated(_ path: [UInt8]) -> [CChar] { path.map { CChar(bitPattern: $0) } + [0] }
