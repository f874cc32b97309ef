import Basics
import CLinux
import CloudModel
import DaemonProtocol
import FoundationEssentials
import Glibc
import Records
import UbiquityData

/// A shared database's folder in a container's data area: `Databases/NAME/IDENTIFIER/DEVICE/` with each device's files.
/// A device writes only below its own name: its transactions, and `schema.json` with its tables.
struct CloudFolder {
    static let root = "Databases"
    private static let schemaName = "schema.json"
    /// Folders beside those of databases, in which programs with the library record removals (`ContainerFolder`).
    private static let reservedNames: Set<String> = ["Departing", "Removed"]
    /// Further databases, or devices of a database, are ignored.
    private static let maximumNames = 1_000

    let mount: String
    let id: Registration.Name

    var container: String { "\(mount)/\(id.container)" }

    /// The folder through which the library publishes and imports.
    var path: String { "\(container)/\(Self.root)/\(id.name)" }

    var url: URL { URL(filePath: path) }

    /// Whether the mount shows the container.
    var hasContainer: Bool { access(container, F_OK) == 0 }

    /// Whether the mount shows files of a database.
    func contains(_ identifier: String) -> Bool { access("\(path)/\(identifier)", F_OK) == 0 }

    /// Returns the identifiers of the databases of this name.
    func identifiers() -> [String] {
        Self.names(in: path).filter { ItemID($0)?.description == $0 }
    }

    /// Returns the names of the databases in a container.
    static func databases(mount: String, container: String) -> [String] {
        names(in: "\(mount)/\(container)/\(root)").filter(isValid)
    }

    static func containers(mount: String) -> [String] { names(in: mount) }

    private static func names(in folder: String) -> [String] {
        guard let directory = opendir(folder) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while names.count < maximumNames, let entry = readdir(directory) {
            let name = entry.name
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names.sorted()
    }

    /// Returns whether a text can name a database: a valid folder name on every device, and not excluded from sync.
    static func isValid(_ name: String) -> Bool {
        (1...100).contains(name.utf8.count)
            && name.unicodeScalars.allSatisfy {
                $0.properties.isAlphabetic || $0.properties.numericType != nil || " -_".unicodeScalars.contains($0)
            }
            && !name.hasPrefix(" ") && !name.hasSuffix(" ") && !reservedNames.contains(name)
    }

    // MARK: Schemas

    private func schemaPath(_ identifier: String, _ device: DeviceID) -> String {
        "\(path)/\(identifier)/\(device)/\(Self.schemaName)"
    }

    /// Returns each device's tables, the newest first.
    ///
    /// - Parameter downloads: Whether to wait for those without local bytes.
    /// - Returns: As `failure` the reason why some could not be read, if any.
    func schemas(of identifier: String, downloads: Bool = true) -> (schemas: [SharedSchema], failure: SharingFailure?) {
        var schemas: [SharedSchema] = []
        var failure: SharingFailure?
        for name in Self.names(in: "\(path)/\(identifier)") {
            guard let value = UInt64(name, radix: 16), DeviceID(value).description == name else { continue }
            let file = schemaPath(identifier, DeviceID(value))
            guard downloads || Self.isLocal(file) else { continue }
            do {
                guard let bytes = try SmallFile.read(file, limit: SharedSchema.maximumBytes) else { continue }
                schemas.append(try SharedSchema(decoding: bytes))
            } catch let error as DaemonFailure {
                failure = error.errno.map { SharingFailure(Errno($0, "read \(file)")) } ?? failure
            } catch { failure = SharingFailure(error) }
        }
        // The sort is stable for equal versions only by their tables: devices need not agree on more.
        return (schemas.sorted { ($0.version, $0.tables.count) > ($1.version, $1.tables.count) }, failure)
    }

    /// Whether a file's bytes are local, according to the mount.
    private static func isLocal(_ file: String) -> Bool {
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = getxattr(file, "user.ubiquity.status", &bytes, bytes.count)
        return count < 0 || String(decoding: bytes.prefix(count), as: UTF8.self) != "notDownloaded"
    }

    /// Whether the mount shows a device's tables.
    func hasSchema(_ identifier: String, _ device: DeviceID) -> Bool {
        access(schemaPath(identifier, device), F_OK) == 0
    }

    func write(_ schema: SharedSchema, identifier: String, device: DeviceID) throws {
        let file = schemaPath(identifier, device)
        let bytes = try schema.encoded()
        // If the device already wrote these bytes, the document gets no new version.
        if let present = try? SmallFile.read(file, limit: SharedSchema.maximumBytes), present == bytes { return }
        try createDirectories("\(path)/\(identifier)/\(device)")
        // The name of the temporary file keeps it on this device.
        try DurableFile(file, temporary: "\(file).tmp").replace(with: bytes)
    }
}
