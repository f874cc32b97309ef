import Archives
import Foundation
import Glibc

/// An accessor's URLs, and the copies to remove after it.
struct PreparedAccess: Sendable {
    let urls: [URL]
    /// The folders of copies for uploading.
    private let copies: [URL]
    private let held: HeldClaims
    /// Whether the claims are released: no access waits for a reader with its own copy.
    private let isReleased: Bool

    /// Creates an access without copies.
    init(ready held: HeldClaims) {
        self.held = held
        urls = held.items.map(\.url)
        copies = []
        isReleased = false
    }

    init(_ held: HeldClaims) throws(CoordinationFailure) {
        self.held = held
        var copies: [URL] = []
        var urls: [URL] = []
        for item in held.items {
            guard item.wanted.isForUploading else {
                urls.append(item.url)
                continue
            }
            do throws(CoordinationFailure) {
                let copy = try Self.copy(item.url)
                copies.append(copy.deletingLastPathComponent())
                urls.append(copy)
            } catch {
                Self.remove(copies)
                throw error
            }
        }
        self.urls = urls
        self.copies = copies
        isReleased = held.items.allSatisfy(\.wanted.isForUploading)
        if isReleased { _ = held.finish() }
    }

    /// Marks the accessor as running, unless the access was cancelled.
    func begin(_ call: AccessCall) throws(CoordinationFailure) {
        do throws(CoordinationFailure) { try call.begin() } catch {
            drop()
            throw error
        }
    }

    func run<T>(_ accessor: ([URL]) throws -> T) rethrows -> T {
        try held.around { try accessor(urls) }
    }

    var enclosing: [Enclosing] { isReleased ? Enclosing.current : held.enclosing }

    /// Releases everything; the accessor does not run.
    func drop() {
        // Best effort, as in `end()`.
        for copy in copies { try? FileManager.default.removeItem(at: copy) }
        if !isReleased { held.drop() }
    }

    /// Releases everything. A failure means a claim was not held until the accessor returned.
    func end() -> CoordinationFailure? {
        // An unremovable copy stays in the folder for temporary files, which the system empties.
        for copy in copies { try? FileManager.default.removeItem(at: copy) }
        return isReleased ? nil : held.finish()
    }

    private static func remove(_ copies: [URL]) {
        // Best effort, as in `end()`.
        for copy in copies { try? FileManager.default.removeItem(at: copy) }
    }

    private static func copy(_ url: URL) throws(CoordinationFailure) -> URL {
        let folder = PrivateFolder.place()
        do {
            _ = try PrivateFolder.make(at: folder)
            guard isFolder(url) else { return try PrivateFolder.copy(url, into: folder) }
            let archive = folder.appending(path: "\(url.lastPathComponent).zip")
            let output = try PrivateFolder.makeFile(at: archive)
            try FolderArchive.write(url, to: output)
            try output.close()
            return archive
        } catch {
            remove([folder])
            throw CoordinationFailure(.failed, "Could not copy \(url.path): \(error)")
        }
    }

    /// Returns whether the item is a folder or a link to a folder. A nonexistent item is reported by the copy.
    private static func isFolder(_ url: URL) -> Bool {
        var status = stat()
        return stat(url.path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }
}
