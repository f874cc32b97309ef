import Basics
import CLinux
public import Foundation
import Glibc

/// Reading and writing.
extension FileWrapper {
    /// The maximum depth of folders. A deeper folder is an error, because it could exhaust the stack.
    private static let maximumDepth = 256

    /// Reads the item again. If that fails, the wrapper stays as it is.
    public func read(from url: URL, options: ReadingOptions = []) throws {
        let read = try Self.contents(of: url, depth: 0)
        content = read.content
        fileAttributes = read.attributes
        filename = url.lastPathComponent
        if preferredFilename == nil { preferredFilename = url.lastPathComponent }
    }

    private static func contents(of url: URL, depth: Int) throws -> (content: Content, attributes: [String: Any]) {
        guard depth <= maximumDepth else { throw CocoaError(.fileReadTooLarge) }
        let files = FileManager.default
        let found = try files.attributesOfItem(atPath: url.path)
        let attributes = Dictionary(uniqueKeysWithValues: found.map { ($0.key.rawValue, $0.value) })
        switch found[.type] as? FileAttributeType {
        case .typeRegular: return (.file(try Data(contentsOf: url)), attributes)
        case .typeSymbolicLink: return (.link(try files.destinationOfSymbolicLink(atPath: url.path)), attributes)
        case .typeDirectory:
            var children: [String: FileWrapper] = [:]
            for name in try files.contentsOfDirectory(atPath: url.path) {
                let inside = try contents(of: url.appendingPathComponent(name), depth: depth + 1)
                let child = FileWrapper(regularFileWithContents: Data())
                (child.content, child.fileAttributes) = inside
                (child.filename, child.preferredFilename) = (name, name)
                children[name] = child
            }
            return (.folder(children), attributes)
        default: throw CocoaError(.fileReadUnsupportedScheme)
        }
    }

    /// Returns whether a folder still has this wrapper's names, or a file or link still its bytes.
    public func matchesContents(of url: URL) -> Bool {
        // An unreadable item does not match.
        guard let other = try? Self.contents(of: url, depth: 0) else { return false }
        return Self.isEqual(content, other.content)
    }

    private static func isEqual(_ one: Content, _ other: Content) -> Bool {
        switch (one, other) {
        case (.file(let one), .file(let other)): one == other
        case (.link(let one), .link(let other)): one == other
        case (.folder(let one), .folder(let other)):
            one.count == other.count
                && one.allSatisfy { name, child in other[name].map { isEqual(child.content, $0.content) } ?? false }
        default: false
        }
    }

    /// Writes the item. Without ``WritingOptions/atomic`` there must be no folder or link of that name.
    ///
    /// - Parameter originalContentsURL: Not needed: bytes already in the cloud are not sent again.
    public func write(to url: URL, options: WritingOptions = [], originalContentsURL: URL?) throws {
        if options.contains(.atomic) { try writeInOneStep(to: url) } else { try writeContents(to: url) }
        if options.contains(.withNameUpdating) { updateNames(to: url.lastPathComponent) }
    }

    private func updateNames(to name: String) {
        filename = name
        for (name, child) in fileWrappers ?? [:] { child.updateNames(to: name) }
    }

    /// Writes to a name that does not sync, and then exchanges the two: other programs and devices see either the old
    /// or the new item.
    private func writeInOneStep(to url: URL) throws {
        let name = ".dat.nosync\(getpid()).\(UInt64.random(in: 0 ... .max))"
        let new = url.deletingLastPathComponent().appendingPathComponent(name)
        do {
            try writeContents(to: new)
            try Self.exchange(new.path, url.path)
        } catch {
            // The write error is the reason; any leftover stays on this device.
            try? FileManager.default.removeItem(at: new)
            throw error
        }
        // Any former item now has the unsynced name.
        try? FileManager.default.removeItem(at: new)
    }

    private static func exchange(_ new: String, _ path: String) throws {
        let exchange: UInt32 = 2  // RENAME_EXCHANGE of <linux/fs.h>
        if linux_rename(new, path, exchange) == 0 { return }
        switch errno {
        case ENOENT: guard rename(new, path) == 0 else { throw failure(errno, path) }
        case EINVAL:
            // The file system cannot exchange, for example NFS: the name is missing for a moment.
            let former = new + ".former"
            guard rename(path, former) == 0 else { throw failure(errno, path) }
            guard rename(new, path) == 0 else {
                let code = errno
                rename(former, path)
                throw failure(code, path)
            }
            rename(former, new)
        default: throw failure(errno, path)
        }
    }

    private static func failure(_ code: Int32, _ path: String) -> CocoaError {
        let isFull = code == ENOSPC || code == EDQUOT
        return CocoaError(
            isFull ? .fileWriteOutOfSpace : .fileWriteUnknown,
            userInfo: [
                NSFilePathErrorKey: path,
                NSUnderlyingErrorKey: NSError(domain: NSPOSIXErrorDomain, code: Int(code)),
            ])
    }

    private func writeContents(to url: URL) throws {
        let files = FileManager.default
        switch content {
        case .file(let bytes): try bytes.write(to: url)
        case .link(let path):
            try files.createSymbolicLink(atPath: url.path, withDestinationPath: path)
            return
        case .folder(let children):
            try files.createDirectory(at: url, withIntermediateDirectories: false)
            for (name, child) in children {
                guard !["", ".", ".."].contains(name),
                    !name.utf8.contains(where: { $0 == 0 || $0 == UInt8(ascii: "/") })
                else { throw CocoaError(.fileWriteInvalidFileName, userInfo: [NSFilePathErrorKey: url.path]) }
                try child.writeContents(to: url.appendingPathComponent(name))
            }
        }
        if let permissions = fileAttributes[FileAttributeKey.posixPermissions.rawValue] as? NSNumber {
            try files.setAttributes([.posixPermissions: permissions], ofItemAtPath: url.path)
        }
    }
}
