import DaemonProtocol
import Foundation
import Glibc

/// Versions added by programs, stored in the user's data as folders `added-versions/DOCUMENT/ID`, each with the content
/// and a record, `.version.json`.
///
/// A document in a mount is identified by its item, which survives moves; any other document is identified by its path.
enum AddedVersions {
    /// Maximum number of discardable versions per document.
    private static let limit = 10
    /// The record's name. It never equals the name of a version's content, which is a document's name.
    private static let record = ".version.json"

    static func document(_ url: URL) -> String {
        let route = ClaimRouter.shared.route(url)
        if let mount = route.mount, let item = MountAuthority.attribute("itemID", of: route.path) {
            return "\(mount.root)#\(item)"
        }
        return route.path
    }

    static func root(of document: String) -> String {
        "\(StandardPaths.current.data)/added-versions/\(document.hashed)"
    }

    /// Returns the document's versions, newest first.
    static func list(of url: URL) -> [AddedVersion] {
        let document = document(url)
        // If the folder does not exist, no version was added.
        let names = (try? FileManager.default.contentsOfDirectory(atPath: root(of: document))) ?? []
        return names.compactMap { read("\(root(of: document))/\($0)") }
            .filter { $0.document == document }.sorted { $0.added > $1.added }
    }

    /// Copies or moves the contents into a new version, durable when this method returns.
    static func add(_ contents: URL, to url: URL, byMoving: Bool) throws -> AddedVersion {
        let values = try FileManager.default.attributesOfItem(atPath: contents.path)
        let version = AddedVersion(
            document: document(url), id: UUID().uuidString, name: url.lastPathComponent, added: Date(),
            modified: values[.modificationDate] as? Date, computer: ProcessInfo.processInfo.hostName)
        let incomplete = "\(root(of: version.document))/.\(version.id)"
        try FileManager.default.createDirectory(
            atPath: incomplete, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        do {
            try FileManager.default.copyItem(at: contents, to: URL(filePath: "\(incomplete)/\(version.name)"))
            try write(version, in: incomplete)
            try makeDurable(incomplete)
            try FileManager.default.moveItem(atPath: incomplete, toPath: version.folder)
        } catch {
            // A leftover has a hidden name and is not listed as a version.
            try? FileManager.default.removeItem(atPath: incomplete)
            throw error
        }
        // The version exists now; if the original cannot be removed, its contents exist twice.
        if byMoving { try? FileManager.default.removeItem(at: contents) }
        discard(of: url)
        return version
    }

    static func update(_ version: AddedVersion) throws { try write(version, in: version.folder) }

    static func remove(_ version: AddedVersion) throws {
        try FileManager.default.removeItem(atPath: version.folder)
    }

    /// Removes the oldest discardable versions beyond the limit.
    private static func discard(of url: URL) {
        for version in list(of: url).filter(\.isDiscardable).dropFirst(limit) {
            // Removing a version is retried when the next version is added.
            try? remove(version)
        }
    }

    private static func read(_ folder: String) -> AddedVersion? {
        guard !(folder as NSString).lastPathComponent.hasPrefix("."),
            let data = FileManager.default.contents(atPath: "\(folder)/\(record)")
        else { return nil }
        // Undecodable bytes are not a version.
        return try? JSONDecoder().decode(AddedVersion.self, from: data)
    }

    private static func write(_ version: AddedVersion, in folder: String) throws {
        try JSONEncoder().encode(version).write(to: URL(filePath: "\(folder)/\(record)"), options: .atomic)
    }

    private static func makeDurable(_ folder: String) throws {
        for path in [folder] + (try FileManager.default.subpathsOfDirectory(atPath: folder)).map({ "\(folder)/\($0)" })
        {
            let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
            // A symbolic link has no bytes to sync.
            if descriptor < 0, errno == ELOOP { continue }
            guard descriptor >= 0 else { throw CocoaError(.fileWriteUnknown) }
            defer { close(descriptor) }
            guard fsync(descriptor) == 0 else { throw CocoaError(.fileWriteUnknown) }
        }
    }
}
