import CloudModel

/// The files of shared databases (docs/DATABASES.md), which are not documents: `IDENTIFIER/DEVICE/NUMBER.rows` and
/// their siblings, in any folder of a container, and the folders above them. A rolled-back cloud's missing files are in
/// the devices' databases, and are sent again from there; under a different path no device would read them.
enum SharedDatabaseFiles {
    private static let root = "Databases"
    private static let schema = "schema.json"
    private static let endings = [".rows", ".baseline", ".part"]

    /// - Parameter path: The names of a file and of the folders above it, below the container's folder.
    static func contain(_ path: [String]) -> Bool {
        guard path.count >= 3, ItemID(path[path.count - 3])?.description == path[path.count - 3],
            isDevice(path[path.count - 2])
        else { return false }
        let name = path[path.count - 1]
        return name == schema || name.first?.isWholeNumber == true && endings.contains { name.hasSuffix($0) }
    }

    /// - Parameter path: The names of a folder and of those above it, below the container's folder.
    static func containFolder(_ path: [String]) -> Bool {
        guard let name = path.last else { return false }
        if path.first == root, path.count <= 2 { return true }
        if ItemID(name)?.description == name { return true }
        return path.count > 1 && isDevice(name) && ItemID(path[path.count - 2])?.description == path[path.count - 2]
    }

    private static func isDevice(_ name: String) -> Bool {
        UInt64(name, radix: 16).map { DeviceID($0).description == name } ?? false
    }
}
