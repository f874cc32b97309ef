import DaemonProtocol
import Foundation
import Glibc

/// The versions that programs added, as folders `added-versions/DOCUMENT/ID` of the user's data, each with the content and `version.json`.
///
/// A document in a mount is known by its identity there, wherever it goes; any other by its path.
enum AddedVersions {
    /// Of those that may be discarded, so many of a document are kept.
    private static let limit = 10
    /// Not the name of a version's content, which is a document's.
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

    /// The newest first.
    static func list(of url: URL) -> [AddedVersion] {
        let document = document(url)
        // Without the folder no version was added.
        let names = (try? FileManager.default.contentsOfDirectory(atPath: root(of: document))) ?? []
        return names.compactMap { read("\(root(of: document))/\($0)") }
            .filter { $0.document == document }.sorted { $0.added > $1.added }
    }

    /// Copies the contents, or takes them. Durable when it returns.
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
            // What is left of it is hidden, and no version.
            try? FileManager.default.removeItem(atPath: incomplete)
            throw error
        }
        // The version is there now; contents that can not be removed are there twice.
        if byMoving { try? FileManager.default.removeItem(at: contents) }
        discard(of: url)
        return version
    }

    static func update(_ version: AddedVersion) throws { try write(version, in: version.folder) }

    static func remove(_ version: AddedVersion) throws {
        try FileManager.default.removeItem(atPath: version.folder)
    }

    /// The oldest of those that may go.
    private static func discard(of url: URL) {
        for version in list(of: url).filter(\.isDiscardable).dropFirst(limit) {
            // One that stays is tried again with the next version.
            try? remove(version)
        }
    }

    private static func read(_ folder: String) -> AddedVersion? {
        guard !(folder as NSString).lastPathComponent.hasPrefix("."),
            let data = FileManager.default.contents(atPath: "\(folder)/\(record)")
        else { return nil }
        // Bytes that are no record stand for no version.
        return try? JSONDecoder().decode(AddedVersion.self, from: data)
    }

    private static func write(_ version: AddedVersion, in folder: String) throws {
        try JSONEncoder().encode(version).write(to: URL(filePath: "\(folder)/\(record)"), options: .atomic)
    }

    private static func makeDurable(_ folder: String) throws {
        for path in [folder] + (try FileManager.default.subpathsOfDirectory(atPath: folder)).map({ "\(folder)/\($0)" })
        {
            let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
            // A link has no bytes of its own to wait for.
            if descriptor < 0, errno == ELOOP { continue }
            guard descriptor >= 0 else { throw CocoaError(.fileWriteUnknown) }
            defer { close(descriptor) }
            guard fsync(descriptor) == 0 else { throw CocoaError(.fileWriteUnknown) }
        }
    }
}
