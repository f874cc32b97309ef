import Basics
import CloudModel
import Foundation
import Glibc

/// A container's files for shared databases, in a folder beside `Documents`, hidden from people:
///
///     Databases/NAME_UUID_ID/ID/DEVICE/NUMBER.rows     the transactions
///     Databases/Departing/ID-BASE-RANDOM               a device is moving the database out of the cloud
///     Databases/Removed/ID-BASE-RANDOM                 the database was removed by a device that had imported up to BASE
///
/// Marks are empty files with unique names, so that they cannot conflict. They are never removed: a device returning
/// after years recognises removed databases.
struct ContainerFolder: Sendable {
    enum Mark: String, Sendable { case departing = "Departing", removed = "Removed" }

    /// The container's folder in a mount.
    let container: String
    /// Returns a file's version in the log; nil while it is missing there.
    let version: @Sendable (String) throws -> VersionID?

    private var root: String { "\(container)/Databases" }

    func folder(of name: PackageName) -> String { "\(root)/\(name)" }

    func has(_ name: PackageName) -> Bool { FileManager.default.fileExists(atPath: folder(of: name)) }

    func documents() throws -> Set<PackageName> {
        Set(try entries(of: root).compactMap { PackageName($0) }.filter(\.isShared))
    }

    func announce(_ name: PackageName) throws { try createDirectories(folder(of: name)) }

    func removeFolder(_ name: PackageName) throws {
        guard has(name) else { return }
        try FileManager.default.removeItem(atPath: folder(of: name))
    }

    // MARK: Marks

    /// Returns the identifiers of departing databases, with the version of the first mark in the log.
    func departures() throws -> DatabaseScan.Marks {
        try marks(.departing) { known, found, _ in [known, found].compactMap { $0 }.min() }
    }

    /// Returns the identifiers of removed databases, with the last version imported by a removing device; nil while the
    /// log has no mark.
    func removals() throws -> DatabaseScan.Marks {
        try marks(.removed) { known, found, base in [known, found.map { _ in base }].compactMap { $0 }.max() }
    }

    private func marks(
        _ mark: Mark, _ combine: (_ known: VersionID?, _ found: VersionID?, _ base: VersionID) -> VersionID?
    ) throws -> DatabaseScan.Marks {
        var marks: DatabaseScan.Marks = [:]
        for entry in try entries(of: "\(root)/\(mark.rawValue)") {
            let parts = entry.split(separator: "-", omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 3, let id = ItemID(parts[0]), id.description == parts[0],
                let base = VersionID(parts[1])
            else { continue }
            let found = try version("\(root)/\(mark.rawValue)/\(entry)")
            marks[parts[0]] = .some(combine(marks[parts[0]] ?? nil, found, base))
        }
        return marks
    }

    /// Marks a database unless it is marked.
    ///
    /// - Parameter base: The last version imported by this device.
    func mark(_ identifier: String, _ mark: Mark, base: VersionID) throws {
        guard try marks(mark, { known, _, _ in known })[identifier] == nil else { return }
        let folder = "\(root)/\(mark.rawValue)"
        try createDirectories(folder)
        let file = "\(folder)/\(identifier)-\(base)-\(Hex.encode(UInt64.random(in: 0...UInt64.max)))"
        try DurableFile(file, temporary: "\(file).tmp").replace(with: Array("\(identifier)\n".utf8))
    }

    private func entries(of folder: String) throws -> [String] {
        guard FileManager.default.fileExists(atPath: folder) else { return [] }
        return try FileManager.default.contentsOfDirectory(atPath: folder)
    }

    // MARK: Transactions

    /// A database's files.
    ///
    /// - Parameters:
    ///   - limit: Leaves out files from this version on; nil for none.
    ///   - isCancelled: Ends a long import before the next file.
    func records(
        of name: PackageName, device: DeviceID, before limit: VersionID? = nil,
        isCancelled: @escaping @Sendable () -> Bool = { false }
    ) throws -> LimitedRecords {
        guard let store = name.identifier.flatMap({ ItemID($0) }) else {
            throw UbiquitousDatabaseError.noIdentifier(name.description)
        }
        let folder = RecordFolder(path: folder(of: name), store: store, device: device, version: version)
        return LimitedRecords(folder: folder, limit: limit, isCancelled: isCancelled)
    }

    /// Folders to watch for a database's files.
    func watched(_ name: PackageName) -> [String] {
        let top = folder(of: name)
        guard let identifier = name.identifier else { return [] }
        // An unlistable folder is watched after the next import.
        let devices = (try? entries(of: "\(top)/\(identifier)")) ?? []
        return [top, "\(top)/\(identifier)"] + devices.prefix(1_000).map { "\(top)/\(identifier)/\($0)" }
    }

    /// Folders to watch for databases and marks.
    var watched: [String] { [container, root, "\(root)/Departing", "\(root)/Removed"] }
}
