import Basics
import Foundation
import Glibc

/// A device's folder of database documents. It is never in the cloud.
///
/// A document is a folder with the SQLite file `store.sqlite` and its companion files, so that a single rename(2)
/// moves, shows or removes all of them. Documents being created or removed are kept apart.
struct DocumentFolder: Sendable {
    enum Place: String, CaseIterable, Sendable {
        case documents = "Documents"
        /// Incomplete; created again, or removed, after a crash.
        case making = "Making"
        /// Removed by this device; waits until the log records the removal.
        case leaving = "Leaving"
        /// Removed remotely, with changes only this device has.
        case kept = "Kept"
        case trash = "Trash"
    }

    let path: String

    init(_ path: String) throws {
        self.path = path
        for place in Place.allCases { try createDirectories(folder(place)) }
    }

    var lockPath: String { "\(path)/lock" }
    var statePath: String { "\(path)/state.json" }

    private func folder(_ place: Place) -> String { "\(path)/\(place.rawValue)" }

    func package(_ name: PackageName, in place: Place = .documents) -> DatabasePackage {
        DatabasePackage(path: "\(folder(place))/\(name)")
    }

    /// The documents in a place, by name. Foreign files are ignored.
    func names(in place: Place = .documents) throws -> [PackageName] {
        try entries(in: place).compactMap { PackageName($0) }.sorted { $0.description < $1.description }
    }

    private func entries(in place: Place) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder(place))
    }

    func has(_ name: PackageName, in place: Place = .documents) -> Bool {
        FileManager.default.fileExists(atPath: package(name, in: place).path)
    }

    /// Moves a document, durably.
    func move(_ name: PackageName, from place: Place, to other: Place) throws {
        try rename(package(name, in: place).path, "\(folder(other))/\(name)", folder(place), folder(other))
    }

    /// Removes a document. It vanishes immediately; its files follow.
    func remove(_ name: PackageName, from place: Place = .documents) throws {
        let target = "\(folder(.trash))/\(UUID().uuidString)"
        try rename(package(name, in: place).path, target, folder(place), folder(.trash))
        emptyTrash()
    }

    /// Files it cannot remove now are removed the next time.
    func emptyTrash() {
        for name in (try? entries(in: .trash)) ?? [] {
            try? FileManager.default.removeItem(atPath: "\(folder(.trash))/\(name)")
        }
    }

    private func rename(_ old: String, _ new: String, _ folders: String...) throws(Errno) {
        try check("rename \(old)") { Glibc.rename(old, new) }
        for folder in folders { try syncDirectory(folder) }
    }

    // MARK: Kept databases

    /// Keeps a document under a unique name.
    func keep(_ name: PackageName, from place: Place) throws {
        let mark = UUID().uuidString.prefix(8)
        try rename(
            package(name, in: place).path, "\(folder(.kept))/\(name) \(mark)", folder(place), folder(.kept))
    }

    func kept() throws -> [UbiquitousKeptDatabase] {
        try entries(in: .kept).sorted().compactMap { entry in
            guard let space = entry.lastIndex(of: " "), let name = PackageName(String(entry[..<space])),
                let identifier = name.identifier
            else { return nil }
            return UbiquitousKeptDatabase(
                title: name.title, identifier: identifier,
                path: DatabasePackage(path: "\(folder(.kept))/\(entry)").database, folder: entry)
        }
    }

    /// Returns the package of a kept database; nil if it is gone.
    func package(_ kept: UbiquitousKeptDatabase) throws -> DatabasePackage? {
        guard try self.kept().contains(kept) else { return nil }
        return DatabasePackage(path: "\(folder(.kept))/\(kept.folder)")
    }

    func removeKept(_ kept: UbiquitousKeptDatabase) throws {
        let target = "\(folder(.trash))/\(UUID().uuidString)"
        try rename("\(folder(.kept))/\(kept.folder)", target, folder(.kept), folder(.trash))
        emptyTrash()
    }
}

/// A document's folder.
struct DatabasePackage: Hashable, Sendable {
    let path: String

    var database: String { "\(path)/store.sqlite" }
    /// Held by each process with the document open.
    var lock: String { "\(path)/lock" }
    /// Held by the publishing and importing process.
    var syncLock: String { "\(path)/sync.lock" }
    private var announcement: String { "\(path)/announced" }

    /// Whether the container has had the document's folder.
    var isAnnounced: Bool { FileManager.default.fileExists(atPath: announcement) }

    func noteAnnounced() throws { try DurableFile(announcement).replace(with: []) }

    /// Whether the document was closed with transactions missing from the log. A crashing program does not record this;
    /// the document's next user finds them.
    var isUnconfirmed: Bool { FileManager.default.fileExists(atPath: "\(path)/unconfirmed") }

    func noteUnconfirmed(_ isUnconfirmed: Bool) throws {
        guard isUnconfirmed != self.isUnconfirmed else { return }
        if isUnconfirmed {
            try DurableFile("\(path)/unconfirmed").replace(with: [], isSynced: false)
        } else {
            try check("unlink") { unlink("\(path)/unconfirmed") }
        }
    }

    var hasDatabase: Bool { FileManager.default.fileExists(atPath: database) }

    /// Creates an empty package, removing leftovers of an earlier attempt.
    func makeEmpty() throws {
        if FileManager.default.fileExists(atPath: path) { try FileManager.default.removeItem(atPath: path) }
        try createDirectories(path)
    }

    /// Syncs all files of a closed document to disk, before a rename shows it.
    func makeDurable() throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: path) {
            let file = try check("open \(name)") { open("\(path)/\(name)", O_RDONLY | O_CLOEXEC) }
            defer { close(file) }
            try check("fsync \(name)") { fsync(file) }
        }
        try syncDirectory(path)
    }
}
