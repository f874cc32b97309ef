import CLinux
import CloudModel
import DaemonProtocol
public import Foundation
import Glibc
import Synchronization

/// Replacing a document with a version, and removing versions.
extension NSFileVersion {
    /// Replaces a document's content with this version. Call this inside a coordinated write of the document.
    ///
    /// - Returns: The document's URL.
    /// - Throws: `CocoaError.fileWriteUnknown` if the version cannot take the document's place.
    @discardableResult
    public func replaceItem(at url: URL, options: ReplacingOptions = []) throws -> URL {
        if !hasLocalContents { try fetch() }
        // The suffix keeps the copy on this device; when it is renamed over the document, it becomes that document. A
        // folder cannot be exchanged with an unsynced one, so a package's copy has a hidden name that syncs
        // for a moment.
        let ending = Self.isFolder(self.url) ? self.url.pathExtension : "tmp"
        let copy = url.deletingLastPathComponent().appending(path: ".\(UUID().uuidString).\(ending)")
        try FileManager.default.copyItem(at: self.url, to: copy)
        guard Self.put(copy.path, inPlaceOf: url.path) else {
            let message = "The version cannot replace \(url.path): \(String(cString: strerror(errno)))"
            try FileManager.default.removeItem(at: copy)
            throw CoordinationFailure.error(.fileWriteUnknown, message, at: url)
        }
        if options.contains(.byMoving), isConflict || isOfHistory || isAdded { try remove() }
        return url
    }

    /// `RENAME_EXCHANGE` of `<linux/fs.h>`.
    private static let exchange: UInt32 = 2

    private static func put(_ copy: String, inPlaceOf path: String) -> Bool {
        var status = stat()
        guard lstat(copy, &status) == 0 else { return false }
        guard makeWritable(copy, status) else { return false }
        if rename(copy, path) == 0 { return true }
        guard errno == ENOTEMPTY || errno == EEXIST else { return false }
        // A package replaces a non-empty package by an exchange.
        guard linux_rename(copy, path, exchange) == 0 else { return false }
        // The replaced package now has the copy's hidden name.
        try? FileManager.default.removeItem(atPath: copy)
        return true
    }

    /// Makes a version's copy writable. Versions of the history are read-only, and so is each file of a package.
    private static func makeWritable(_ path: String, _ status: stat) -> Bool {
        switch status.st_mode & S_IFMT {
        case S_IFREG:
            return chmod(path, status.st_mode & 0o100 == 0 ? 0o644 : 0o755) == 0
        case S_IFDIR:
            guard let names = try? FileManager.default.contentsOfDirectory(atPath: path) else { return false }
            return names.allSatisfy { name in
                var status = stat()
                return lstat("\(path)/\(name)", &status) == 0 && makeWritable("\(path)/\(name)", status)
            }
        default: return true
        }
    }

    private static func isFolder(_ url: URL) -> Bool {
        var status = stat()
        return lstat(url.path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    private func fetch() throws {
        do throws(DaemonFailure) {
            if try VersionDirectory.shared.fetch(url.path) { return }
            let route = ClaimRouter.shared.route(url)
            try route.mount?.download(route.path)
        } catch { throw error.cocoa(url) }
    }

    /// Removes the version from every device; this resolves a conflict. The current version cannot be removed.
    public func remove() throws {
        if let version = added.withLock({ $0 }) {
            try AddedVersions.remove(version)
            return PresenterDirectory.shared.notify(PresenterCall(.didLoseVersion, version: version.id), at: document)
        }
        if isOfHistory, let version = persistentIdentifier as? NSString {
            let route = ClaimRouter.shared.route(document)
            guard let mount = route.mount else { return }
            do throws(DaemonFailure) {
                let request = RemoveVersionsRequest(
                    path: try mount.path(route.path), versions: [String(describing: version)])
                _ = try mount.call(request)
            } catch { throw error.cocoa(document) }
            return
        }
        guard isConflict else {
            throw CoordinationFailure.error(
                .fileWriteUnknown, "The current version of a document cannot be removed; delete the document instead.",
                at: url
            )
        }
        if !wasResolved.withLock({ $0 }) { try FileManager.default.removeItem(at: url) }
        wasResolved.withLock { $0 = true }
    }
}
