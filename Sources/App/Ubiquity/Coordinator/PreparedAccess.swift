import Archives
import Foundation
import Glibc

/// What an accessor gets, and what is to be cleaned up after it.
struct PreparedAccess: Sendable {
    let urls: [URL]
    /// Folders of copies that were made for uploading.
    private let copies: [URL]
    private let held: HeldClaims
    /// No access waits for a reader that has its own copy.
    private let isReleased: Bool

    /// Without copies.
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

    /// The accessor runs next, unless the access was called off.
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

    /// The accessor is not going to run.
    func drop() {
        // As below.
        for copy in copies { try? FileManager.default.removeItem(at: copy) }
        if !isReleased { held.drop() }
    }

    /// A failure says that what the accessor used was not held to the end.
    func end() -> CoordinationFailure? {
        // What can not be removed stays in the folder for temporary files, which is emptied.
        for copy in copies { try? FileManager.default.removeItem(at: copy) }
        return isReleased ? nil : held.finish()
    }

    private static func remove(_ copies: [URL]) {
        // As above.
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
            throw CoordinationFailure(.failed, "No copy could be made of \(url.path): \(error)")
        }
    }

    /// A folder, or a link to one. What does not exist is reported by the copy.
    private static func isFolder(_ url: URL) -> Bool {
        var status = stat()
        return stat(url.path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }
}
