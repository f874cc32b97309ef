import Coordination
import DaemonProtocol
import Foundation
import Glibc

/// What is held while an accessor runs.
struct HeldClaims: Sendable {
    struct Claim: Sendable {
        let granted: GrantedClaim
        let authority: any ClaimAuthority
    }

    struct Item: Sendable {
        let wanted: WantedItem
        /// Where it was when it was asked for, and is now.
        let oldPath: String
        let path: String
        /// Something was there when it was asked for.
        let existed: Bool

        /// What the accessor gets: as the program spelt it, unless the item has moved.
        var url: URL {
            oldPath == path ? wanted.target : URL(filePath: path)
        }
    }

    let claims: [Claim]
    let items: [Item]

    /// Makes sure that the accessor finds what it was promised, and answers its URLs; gives everything back if it can not. May take as long as
    /// a download does.
    func prepare() throws(CoordinationFailure) -> PreparedAccess {
        do throws(CoordinationFailure) {
            // The daemon has looked already.
            if claims.allSatisfy(\.granted.isWhole) { return try PreparedAccess(self) }
            for item in items where item.existed && !item.wanted.mayBeGone && !WantedItem.exists(item.path) {
                throw CoordinationFailure(
                    .gone, "\(item.wanted.url.path) was deleted before it could be accessed.")
            }
            for item in items where item.wanted.readsContent { try download(item) }
            return try PreparedAccess(self)
        } catch {
            _ = finish()
            throw error
        }
    }

    /// Gives everything back. A failure says that not everything was held to the end.
    func finish() -> CoordinationFailure? {
        claims.reversed().compactMap { $0.granted.finish() }.first
    }

    /// Runs the accessor, so that requests in it are known to be inside of these claims.
    func around<T>(_ accessor: () throws -> T) rethrows -> T {
        try Enclosing.$current.withValue(enclosing) { try accessor() }
    }

    var enclosing: [Enclosing] {
        Enclosing.current
            + claims.map { Enclosing(authority: $0.authority, enclosure: .claim(ClaimID($0.granted.number))) }
    }

    private func download(_ item: Item) throws(CoordinationFailure) {
        guard
            let mount = claims.lazy.compactMap({ $0.authority as? MountAuthority }).first(where: {
                item.path.hasPrefix($0.root + "/")
            })
        else {
            do { _ = try VersionDirectory.shared.fetch(item.path) } catch { throw CoordinationFailure(error) }
            return
        }
        // Of a folder that is no package this is never so: it is read without what is in it.
        guard MountAuthority.attribute("status", of: item.path) == "notDownloaded" else { return }
        do { try mount.download(item.path) } catch { throw CoordinationFailure(error) }
    }
}

/// What an accessor gets, and what is to be cleaned up after it.
struct PreparedAccess: Sendable {
    let urls: [URL]
    /// Folders of copies that were made for uploading.
    private let copies: [URL]
    private let held: HeldClaims
    /// Nobody waits for a reader that has its own copy.
    private let isReleased: Bool

    init(_ held: HeldClaims) throws(CoordinationFailure) {
        self.held = held
        var copies: [URL] = []
        var urls: [URL] = []
        for item in held.items {
            guard item.wanted.isForUploading else {
                urls.append(item.url)
                continue
            }
            let copy = try Self.copy(item.url)
            copies.append(copy.deletingLastPathComponent())
            urls.append(copy)
        }
        self.urls = urls
        self.copies = copies
        isReleased = held.items.allSatisfy(\.wanted.isForUploading)
        if isReleased { _ = held.finish() }
    }

    func run<T>(_ accessor: ([URL]) throws -> T) rethrows -> T {
        try held.around { try accessor(urls) }
    }

    var enclosing: [Enclosing] { isReleased ? Enclosing.current : held.enclosing }

    /// A failure says that what the accessor used was not held to the end.
    func end() -> CoordinationFailure? {
        // What can not be removed stays in the folder for temporary files, which is emptied.
        for copy in copies { try? FileManager.default.removeItem(at: copy) }
        return isReleased ? nil : held.finish()
    }

    private static func copy(_ url: URL) throws(CoordinationFailure) -> URL {
        let folder = FileManager.default.temporaryDirectory.appending(path: "ubiquity-\(UUID().uuidString)")
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            // What does not exist is said by the copy.
            guard (try? url.resourceValues(forKeys: [.isDirectoryKey]))?.isDirectory == true else {
                let copy = folder.appending(path: url.lastPathComponent)
                try FileManager.default.copyItem(at: url, to: copy)
                return copy
            }
            let archive = folder.appending(path: "\(url.lastPathComponent).zip")
            try FolderArchive.write(url, to: archive)
            return archive
        } catch {
            throw CoordinationFailure(.failed, "No copy could be made of \(url.path): \(error)")
        }
    }
}
